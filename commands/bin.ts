import { type BuildInfo, unknownBuild } from '../lib/cli/build'
import { main } from '../lib/cli/main'
import { leave, nodeRuntime } from '../lib/runtime/node'
import './index'
import { registered } from './registry'

/** Recorded by the bundler. */
declare const __SVC_BUILD__: BuildInfo | undefined

const build = typeof __SVC_BUILD__ === 'undefined' ? unknownBuild : __SVC_BUILD__
// Should the program run out of things to wait for before its end.
process.exitCode = 1
void main(process.argv.slice(2), nodeRuntime(), build, registered()).then(leave)

#!/usr/bin/env node
import { cacheCompiledCode, checkNodeVersion } from '../lib/runtime/node/before-start'

// An old Node must be able to load this file and its static imports. Code for a newer Node is loaded after the check.
const tooOld = checkNodeVersion(process.versions.node)
if (tooOld === undefined) {
  cacheCompiledCode(process.env, process.versions.node)
  void import('./program').then(({ startProgram }) => startProgram())
} else {
  process.exitCode = 1
  process.stdout.write(tooOld.stdout)
  process.stderr.write(tooOld.stderr)
}

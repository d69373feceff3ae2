import { suite } from 'uvu'
import { findCommand } from '../../lib/cli/find-command'
import type { Outcome } from '../../lib/replay/golden'
import { runProgram } from '../../lib/replay/run-program'
import type { Named } from '../../lib/replay/scenarios'
import { testVersion } from '../support/build'
import { commands } from '../support/commands'
import { bin } from '../support/program'
import { compare, expected } from './golden-files'
import { scenarios } from './scenario'

const test = suite('golden: the built program, in processes')

/**
 * What of a scenario only a process can show: the command, how it ends, and which streams, files, signals and faults of
 * the wire it has.
 */
const kindOf = ({ name, scenario }: Named): string => {
  const { argv, stdin, conversation, exchanges = [], only } = scenario
  const found = findCommand(argv, commands)
  const faults = exchanges.map(({ response: { fault, signal, raw } }) => [fault, signal, raw && 1])
  const { exit, ...written } = expected(name)
  const paths = Object.keys(written).map((path) => path.replace(/^files.*/, 'files'))
  return JSON.stringify([
    'command' in found ? found.command?.name : undefined,
    ...[exit, typeof stdin, conversation !== undefined, only, faults.flat(), [...new Set(paths)]],
  ])
}

/** The first scenario of each kind. `in-process.test.ts` runs all of them. */
const chosen = [
  ...new Map(
    scenarios()
      .filter(({ scenario }) => scenario.only !== 'in-process')
      .reverse()
      .map((named) => [kindOf(named), named]),
  ).values(),
].reverse()

/** So many programs run at a time: each waits for its service, and Node for its disk. */
const atATime = 2

const outcomes: Promise<Outcome>[] = []
for (const [at, { name }] of chosen.entries())
  test(name, async () => {
    for (const next of chosen.slice(outcomes.length, at + atATime))
      outcomes.push(
        runProgram(next, { command: [process.execPath, bin], env: {}, version: testVersion }),
      )
    compare(name, await (outcomes[at] as Promise<Outcome>))
  })

test.run()

import { suite } from 'uvu'
import { findCommand } from '../../lib/cli/find-command'
import type { ProgramOutcome } from '../../lib/replay/golden'
import { runProgram } from '../../lib/replay/run-program'
import { type NamedScenario, parseArguments } from '../../lib/replay/scenarios'
import { testVersion } from '../support/build'
import { commands } from '../support/commands'
import { bin } from '../support/program'
import { compare, expected } from './golden-files'
import { scenarios } from './scenario'

const test = suite('golden: the built program, in processes')

/** What of a scenario only a process can show: how its command ends, what it reads and writes, and faults of the wire. */
const aspectsOf = ({ name, scenario }: NamedScenario): ReadonlyArray<string> => {
  const { stdin, conversation, exchanges = [] } = scenario
  const found = findCommand(parseArguments(scenario), commands)
  const command = 'command' in found ? found.command?.name : undefined
  const { exit, ...written } = expected(name)
  const streams = new Set(Object.keys(written).map((path) => path.replace(/^files.*/, 'files')))
  return [
    `${command} ends with ${exit}`,
    `${command} writes ${[...streams]}`,
    `${command} reads ${conversation === undefined ? typeof stdin : 'a conversation'}`,
    ...exchanges.map(({ response: { fault, signal, raw } }) => `${fault} ${signal} ${typeof raw}`),
  ]
}

const shown = new Set<string>()

/** The scenarios that show an aspect first. `in-process.test.ts` runs all of them. */
const chosen = scenarios().filter((named) => {
  if (named.scenario.only === 'in-process') return false
  const aspects = aspectsOf(named).filter((aspect) => !shown.has(aspect))
  for (const aspect of aspects) shown.add(aspect)
  return aspects.length > 0
})

/** So many programs run at a time: each waits for its service, and Node for its disk. */
const atATime = 2

const outcomes: Promise<ProgramOutcome>[] = []
for (const [at, { name }] of chosen.entries())
  test(name, async () => {
    for (const next of chosen.slice(outcomes.length, at + atATime))
      outcomes.push(
        runProgram(next, { command: [process.execPath, bin], env: {}, version: testVersion }),
      )
    compare(name, await (outcomes[at] as Promise<ProgramOutcome>))
  })

test.run()

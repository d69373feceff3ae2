import { suite } from 'uvu'
import { findCommand } from '../../lib/cli/registry'
import type { ProgramOutcome } from '../../lib/replay/golden'
import { runProgram } from '../../lib/replay/run-program'
import { type NamedScenario, parseArguments } from '../../lib/replay/scenarios'
import { testVersion } from '../support/build'
import { commands } from '../support/commands'
import { binFile } from '../support/program'
import { assertGolden, readProjectGolden } from './golden-files'
import { readProjectScenarios } from './project-scenarios'

const test = suite('golden: the built program, in processes')

/**
 * Describes what in a scenario depends on the process: how the command exits, which streams and files it uses, and which network
 * faults it meets. Each aspect is a text, to be compared with those of other scenarios.
 */
const describeAspects = ({ name, scenario }: NamedScenario): ReadonlyArray<string> => {
  const { stdin, conversation, exchanges = [] } = scenario
  const command = findCommand(parseArguments(scenario), commands).command?.name
  const { exit, ...written } = readProjectGolden(name)
  // All written files, such as `files/run.jsonl`, count as one aspect.
  const streams = new Set(Object.keys(written).map((path) => path.replace(/^files.*/, 'files')))
  // A short input is a string. An object names a file, or describes a long input.
  const inputKind = conversation === undefined ? typeof stdin : 'a conversation'
  return [
    `${command} exits with ${exit}`,
    `${command} writes ${[...streams].join()}`,
    `${command} reads ${inputKind}`,
    ...exchanges.map(
      ({ response: { fault, signal, raw } }) =>
        `fault ${fault}, signal ${signal}, raw bytes of type ${typeof raw}`,
    ),
  ]
}

/** Selects the first scenario with each aspect. `in-process.test.ts` runs all scenarios. */
const selectScenarios = (): ReadonlyArray<NamedScenario> => {
  const seenAspects = new Set<string>()
  const selectedScenarios: NamedScenario[] = []
  for (const namedScenario of readProjectScenarios()) {
    if (namedScenario.scenario.only === 'in-process') continue
    const newAspects = describeAspects(namedScenario).filter((aspect) => !seenAspects.has(aspect))
    for (const aspect of newAspects) seenAspects.add(aspect)
    if (newAspects.length > 0) selectedScenarios.push(namedScenario)
  }
  return selectedScenarios
}

/** The maximum number of programs that run at a time. */
const maxPrograms = 2

const program = { command: [process.execPath, binFile], env: {}, version: testVersion } as const
const neverAborts = new AbortController().signal
const selectedScenarios = selectScenarios()
/** The outcomes of the scenarios that have started, in order. The tests run in this order too. */
const outcomes: Promise<ProgramOutcome>[] = []
for (const [index, { name }] of selectedScenarios.entries())
  test(name, async () => {
    // Starts this scenario, unless the previous test has started it. Also starts the next scenario, because a program waits most of the
    // time.
    for (const namedScenario of selectedScenarios.slice(outcomes.length, index + maxPrograms))
      outcomes.push(runProgram(namedScenario, program, { signal: neverAborts }))
    const outcome = outcomes[index] as Promise<ProgramOutcome>
    assertGolden(name, await outcome)
  })

test.run()

import { suite } from 'uvu'
import { distFolder } from '../support/program'
import { assertGolden } from './golden-files'
import { readProjectScenarios } from './project-scenarios'
import { loadBuiltProgram, runInProcess } from './run-in-process'

const test = suite('golden: the built program, in this process')
const program = loadBuiltProgram(distFolder)

for (const namedScenario of readProjectScenarios())
  test(namedScenario.name, async () =>
    assertGolden(namedScenario.name, await runInProcess(namedScenario, program)),
  )

test.run()

import { suite } from 'uvu'
import { dist } from '../support/program'
import { assertGolden } from './golden-files'
import { readProjectScenarios } from './project-scenarios'
import { loadBuiltProgram, runInProcess } from './run-in-process'

const test = suite('golden: the built program, in this process')
const program = loadBuiltProgram(dist)

for (const named of readProjectScenarios())
  test(named.name, async () => assertGolden(named.name, await runInProcess(named, program)))

test.run()

import { suite } from 'uvu'
import { dist } from '../support/program'
import { compare } from './golden-files'
import { loadBuilt, runInProcess } from './run-in-process'
import { scenarios } from './scenario'

const test = suite('golden: the built program, in this process')
const program = loadBuilt(dist)

for (const named of scenarios())
  test(named.name, async () => compare(named.name, await runInProcess(named, program)))

test.run()

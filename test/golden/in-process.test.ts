import { suite } from 'uvu'
import { compare } from './golden-files'
import { runInProcess } from './run-in-process'
import { scenarios } from './scenario'

const test = suite('golden: in process')

for (const named of scenarios().filter(({ scenario }) => scenario.only !== 'bundle'))
  test(named.name, async () => compare(named.name, await runInProcess(named)))

test.run()

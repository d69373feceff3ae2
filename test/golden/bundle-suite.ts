import { suite } from 'uvu'
import { compare } from './golden-files'
import { runBundle } from './run-bundle'
import { scenarios } from './scenario'

/** Groups of scenarios with a test file of their own, so that no file takes long. */
const own = ['errors', 'review']

/** Runs the scenarios of one group through the built program; without a group, those of all others. */
export const bundleSuite = (group?: string): void => {
  const test = suite(`golden: the built program: ${group ?? 'other groups'}`)
  for (const named of scenarios()) {
    const [first = ''] = named.name.split('/')
    const chosen = group === undefined ? !own.includes(first) : first === group
    if (chosen && named.scenario.only !== 'in-process')
      test(named.name, async () => compare(named.name, await runBundle(named)))
  }
  test.run()
}

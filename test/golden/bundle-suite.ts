import { suite } from 'uvu'
import { compare } from './golden-files'
import { runBundle } from './run-bundle'
import { scenarios } from './scenario'

/** Commands that measure runs. */
export const measuring = ['calibrate', 'compare', 'eval', 'sample']

/** Groups of scenarios that other test files run, so that no file takes long. */
const own = ['errors', 'review', ...measuring]

/** Runs the scenarios of some groups through the built program; without a group, those of all others. */
export const bundleSuite = (...groups: ReadonlyArray<string>): void => {
  const test = suite(`golden: the built program: ${groups.join(', ') || 'other groups'}`)
  for (const named of scenarios()) {
    const [first = ''] = named.name.split('/')
    const chosen = groups.length === 0 ? !own.includes(first) : groups.includes(first)
    if (chosen && named.scenario.only !== 'in-process')
      test(named.name, async () => compare(named.name, await runBundle(named)))
  }
  test.run()
}

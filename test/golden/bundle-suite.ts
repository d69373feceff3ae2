import { suite } from 'uvu'
import type { Outcome } from '../../lib/replay/golden'
import { compare } from './golden-files'
import { runBuilt } from './run-built'
import { scenarios } from './scenario'

/** Commands that measure runs. */
export const measuring = ['calibrate', 'compare', 'eval', 'sample', 'select']

/** Commands that write runs, one of them to agents, and read requirements of them. */
export const ofRows = ['batch', 'gate', 'mcp']

/** Groups of scenarios that other test files run, so that no file takes long. */
const own = ['ask', 'errors', 'flags', 'review', ...measuring, ...ofRows]

/** So many programs run at a time: each waits for its service, and Node for its disk. */
const atATime = 2

/** Runs the scenarios of some groups through the built program; without a group, those of all others. */
export const bundleSuite = (...groups: ReadonlyArray<string>): void => {
  const test = suite(`golden: the built program: ${groups.join(', ') || 'other groups'}`)
  const chosen = scenarios().filter(({ name, scenario }) => {
    const [first = ''] = name.split('/')
    const isChosen = groups.length === 0 ? !own.includes(first) : groups.includes(first)
    return isChosen && scenario.only !== 'in-process'
  })
  const outcomes: Promise<Outcome>[] = []
  for (const [at, { name }] of chosen.entries())
    test(name, async () => {
      for (const next of chosen.slice(outcomes.length, at + atATime)) outcomes.push(runBuilt(next))
      compare(name, await (outcomes[at] as Promise<Outcome>))
    })
  test.run()
}

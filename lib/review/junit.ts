import { type JunitCase, type JunitOutcome, writeJunit } from '../text/junit'
import type { Flag } from './evaluate'
import type { UnitReport } from './report'

/**
 * Writes the report as JUnit XML, with a final newline: a test suite for each unit, with a test case for each
 * behavior and one each for `contradicts_spec` and `thoroughness`. An accepted flag is a skipped test. A unit
 * that could not complete has one test case, with an error.
 */
export const junitReport = (units: ReadonlyArray<UnitReport>): string =>
  writeJunit(
    'svc review',
    units.map((unit) => ({ name: unit.name, cases: testCases(unit) })),
  )

const testCases = (unit: UnitReport): ReadonlyArray<JunitCase> => {
  if (unit.error !== '') return [{ name: 'review', error: { message: unit.error, type: 'error' } }]
  const flags = new Map(unit.flags.map((flag) => [flag.id, flag]))
  const judged = (id: string, name: string): JunitCase => {
    const flag = flags.get(id)
    return { name, ...(flag && flagged(flag)) }
  }
  return [
    ...unit.behaviors.map(({ id, behavior }) => judged(id, `${id}: ${behavior}`)),
    judged('contradicts_spec', 'contradicts_spec'),
    judged('thoroughness', 'thoroughness'),
  ]
}

const flagged = ({ accepted, message }: Flag): JunitOutcome =>
  accepted
    ? { skipped: { message: `accepted: ${message}` } }
    : { failure: { message, type: 'flag' } }

import { formatJunit, type JunitCase, type JunitOutcome } from '../text/junit'
import type { UnitReport } from './report'
import type { ReviewFlag } from './verdict'

/**
 * Formats the report as JUnit XML, with a final newline. Each unit is a test suite. Its test cases are its behaviors,
 * `contradicts_spec` and `thoroughness`. `weakest_area` has no test case, because its answer never raises a flag. An accepted flag is a
 * skipped test. A unit that could not complete has one test case, with an error.
 */
export const formatJunitReport = (units: ReadonlyArray<UnitReport>): string =>
  formatJunit(
    'svc review',
    units.map((unit) => ({ name: unit.name, cases: listCases(unit) })),
  )

const listCases = (unit: UnitReport): ReadonlyArray<JunitCase> => {
  if (unit.error !== '') return [{ name: 'review', error: { message: unit.error, type: 'error' } }]
  const flagsById = new Map(unit.flags.map((flag) => [flag.id, flag]))
  const createCase = (id: string, name: string): JunitCase => {
    const flag = flagsById.get(id)
    // A case without an outcome has passed.
    return flag === undefined ? { name } : { name, ...toJunitOutcome(flag) }
  }
  return [
    ...unit.behaviors.map(({ id, behavior }) => createCase(id, `${id}: ${behavior}`)),
    createCase('contradicts_spec', 'contradicts_spec'),
    createCase('thoroughness', 'thoroughness'),
  ]
}

const toJunitOutcome = ({ accepted, message }: ReviewFlag): JunitOutcome =>
  accepted
    ? { skipped: { message: `accepted: ${message}` } }
    : { failure: { message, type: 'flag' } }

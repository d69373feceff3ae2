import { XMLBuilder } from 'fast-xml-parser'
import { sanitize, withoutCommands } from '../text/harmless'
import type { Flag } from './evaluate'
import type { UnitReport } from './report'

/** How a test case ended, and why. */
type Outcome = {
  readonly failure?: Message
  readonly error?: Message
  readonly skipped?: Message
}
type Message = { readonly '@message': string; readonly '@type'?: string }
type TestCase = Outcome & { readonly '@classname': string; readonly '@name': string }

/**
 * The report as JUnit XML, with a final newline: a test suite for each unit, a test case for each behavior,
 * and one each for `contradicts_spec` and `thoroughness`. An accepted flag is a skipped test. A unit that
 * could not complete has one test case, in error.
 */
export const junitReport = (units: ReadonlyArray<UnitReport>): string => {
  const suites = units.map(testSuite)
  const document = {
    '?xml': { '@version': '1.0', '@encoding': 'UTF-8' },
    testsuites: {
      '@name': 'svc review',
      ...counts(suites.flatMap((suite) => suite.testcase)),
      testsuite: suites,
    },
  }
  const builder = new XMLBuilder({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    format: true,
    suppressEmptyNode: true,
  })
  return builder.build(document)
}

const testSuite = (unit: UnitReport) => {
  const testcase = testCases(unit)
  return { '@name': xmlText(unit.name), ...counts(testcase), testcase }
}

const testCases = (unit: UnitReport): ReadonlyArray<TestCase> => {
  const testCase = (name: string, outcome: Outcome): TestCase => ({
    '@classname': xmlText(unit.name),
    '@name': xmlText(name),
    ...outcome,
  })
  if (unit.error !== '') {
    return [testCase('review', { error: { '@message': xmlText(unit.error), '@type': 'error' } })]
  }
  const flags = new Map(unit.flags.map((flag) => [flag.id, flag]))
  const judged = (id: string, name: string): TestCase => {
    const flag = flags.get(id)
    return testCase(name, flag === undefined ? {} : flagged(flag))
  }
  return [
    ...unit.behaviors.map(({ id, behavior }) => judged(id, `${id}: ${behavior}`)),
    judged('contradicts_spec', 'contradicts_spec'),
    judged('thoroughness', 'thoroughness'),
  ]
}

const flagged = (flag: Flag): Outcome => {
  const message = xmlText(flag.message)
  return flag.accepted
    ? { skipped: { '@message': `accepted: ${message}` } }
    : { failure: { '@message': message, '@type': 'flag' } }
}

const counts = (cases: ReadonlyArray<TestCase>) => ({
  '@tests': cases.length,
  '@failures': cases.filter((c) => c.failure !== undefined).length,
  '@errors': cases.filter((c) => c.error !== undefined).length,
  '@skipped': cases.filter((c) => c.skipped !== undefined).length,
})

/** Text as one line, without commands of CI systems (D59) and characters that XML 1.0 cannot carry. */
const xmlText = (text: string): string =>
  withoutCommands(sanitize(text.replace(/\s+/g, ' '))).replace(/[\ufffe\uffff]/g, '\ufffd')

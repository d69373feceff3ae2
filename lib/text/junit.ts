import { XMLBuilder } from 'fast-xml-parser'
import { escapeCiCommands, sanitize } from './sanitize'

/** The result of a test case: at most one of these members, and none if the test case passed. */
export interface JunitOutcome {
  readonly failure?: JunitDetails
  readonly error?: JunitDetails
  readonly skipped?: JunitDetails
}

interface JunitDetails {
  readonly message: string
  /** The kind of failure or error, which JUnit takes from an exception. */
  readonly type?: string
}

/** A test case of a suite. */
export interface JunitCase extends JunitOutcome {
  readonly name: string
}

/** A test suite. Its name is the class name of its cases. */
interface JunitSuite {
  readonly name: string
  readonly cases: ReadonlyArray<JunitCase>
}

/** Formats test suites as JUnit XML, with a final newline. `name` is not escaped, because svc chooses it. */
export const formatJunit = (name: string, suites: ReadonlyArray<JunitSuite>): string => {
  const document = {
    '?xml': { '@version': '1.0', '@encoding': 'UTF-8' },
    testsuites: {
      '@name': name,
      ...countOutcomes(suites.flatMap(({ cases }) => cases)),
      testsuite: suites.map(toSuiteElement),
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

const toSuiteElement = ({ name, cases }: JunitSuite) => ({
  '@name': cleanText(name),
  ...countOutcomes(cases),
  testcase: cases.map((testCase) => ({
    '@classname': cleanText(name),
    '@name': cleanText(testCase.name),
    ...toOutcomeElement('failure', testCase.failure),
    ...toOutcomeElement('error', testCase.error),
    ...toOutcomeElement('skipped', testCase.skipped),
  })),
})

/** Returns an object with the element of an outcome, or an empty object if the test case has no such outcome. */
const toOutcomeElement = (outcome: keyof JunitOutcome, details: JunitDetails | undefined) => {
  if (details === undefined) return {}
  const { message, type } = details
  const attributes = { '@message': cleanText(message) }
  return { [outcome]: type === undefined ? attributes : { ...attributes, '@type': type } }
}

const countOutcomes = (cases: ReadonlyArray<JunitCase>) => ({
  '@tests': cases.length,
  '@failures': cases.filter(({ failure }) => failure !== undefined).length,
  '@errors': cases.filter(({ error }) => error !== undefined).length,
  '@skipped': cases.filter(({ skipped }) => skipped !== undefined).length,
})

/** Puts a text on one line, and escapes commands of CI systems and characters that XML 1.0 does not allow. */
const cleanText = (text: string): string =>
  escapeCiCommands(sanitize(text.replace(/\s+/g, ' '))).replace(/[\ufffe\uffff]/g, '\ufffd')

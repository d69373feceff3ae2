import { XMLBuilder } from 'fast-xml-parser'
import { breakCommands, sanitize } from './harmless'

/** How a test case ended, and why; empty where it passed. */
export interface JunitOutcome {
  readonly failure?: JunitMessage
  readonly error?: JunitMessage
  readonly skipped?: JunitMessage
}

interface JunitMessage {
  readonly message: string
  readonly type?: string
}

/** A test case of a suite. */
export interface JunitCase extends JunitOutcome {
  readonly name: string
}

/** A test suite, whose name its cases bear as their class name. */
interface JunitSuite {
  readonly name: string
  readonly cases: ReadonlyArray<JunitCase>
}

/**
 * Writes test suites as JUnit XML, with a final newline. This module loads the XML library, so import it only
 * when needed.
 */
export const writeJunit = (name: string, suites: ReadonlyArray<JunitSuite>): string => {
  const document = {
    '?xml': { '@version': '1.0', '@encoding': 'UTF-8' },
    testsuites: {
      '@name': name,
      ...counts(suites.flatMap(({ cases }) => cases)),
      testsuite: suites.map(testSuite),
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

const testSuite = ({ name, cases }: JunitSuite) => ({
  '@name': xmlText(name),
  ...counts(cases),
  testcase: cases.map((one) => ({
    '@classname': xmlText(name),
    '@name': xmlText(one.name),
    ...told('failure', one.failure),
    ...told('error', one.error),
    ...told('skipped', one.skipped),
  })),
})

const told = (outcome: keyof JunitOutcome, message: JunitMessage | undefined) =>
  message && {
    [outcome]: {
      '@message': xmlText(message.message),
      ...(message.type !== undefined && { '@type': message.type }),
    },
  }

const counts = (cases: ReadonlyArray<JunitCase>) => ({
  '@tests': cases.length,
  '@failures': cases.filter((c) => c.failure !== undefined).length,
  '@errors': cases.filter((c) => c.error !== undefined).length,
  '@skipped': cases.filter((c) => c.skipped !== undefined).length,
})

/** Puts a text on one line, without commands of CI systems (D59) or characters that XML 1.0 does not allow. */
const xmlText = (text: string): string =>
  breakCommands(sanitize(text.replace(/\s+/g, ' '))).replace(/[\ufffe\uffff]/g, '\ufffd')

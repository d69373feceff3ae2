import { formatJunit, type JunitCase } from '../text/junit'
import { formatInertMarkdown, formatMarkdownTable } from '../text/markdown'
import { formatCount } from '../text/table'
import type { CheckOutcome, CheckResult, FailedScenario } from './check'
import type { LineDifference } from './golden'

/** Describes a failed scenario on one line: its differing golden files, then its problems. */
const describeFailedScenario = ({ differences, problems }: FailedScenario): string =>
  [...differences.map(describeDifference), ...problems].join('; ').replaceAll('\n', ' ')

/** Describes a difference: `stdout line 1: expected "a", received "b"`. */
const describeDifference = ({ file, line, expected, received }: LineDifference): string => {
  const quote = (text: string | null): string => (text === null ? 'no line' : JSON.stringify(text))
  return `${file} line ${line}: expected ${quote(expected)}, received ${quote(received)}`
}

/** Formats the number of failed scenarios for stderr: `fixtures: 2 of 3 scenarios differ`. */
export const formatCheckSummary = ({ scenarios, failed }: CheckResult): string => {
  const verb = failed.length === 1 ? 'differs' : 'differ'
  return `fixtures: ${failed.length} of ${formatCount(scenarios, 'scenario')} ${verb}`
}

/** Formats the result of `svc fixtures --check` as Markdown, for the job summary of a CI system. */
export const formatCheckMarkdown = ({ scenarios, passed, failed }: CheckResult): string => {
  const heading = `# svc fixtures: ${failed.length === 0 ? 'ok' : 'FAIL'}`
  const counts = `${passed} of ${formatCount(scenarios, 'scenario')} passed`
  if (failed.length === 0) return [heading, counts].join('\n\n')
  const rows = failed.map((failedScenario) => [
    formatInertMarkdown(failedScenario.scenario),
    formatInertMarkdown(describeFailedScenario(failedScenario)),
  ])
  return [heading, counts, formatMarkdownTable(['Scenario', 'Problem'], rows)].join('\n\n')
}

/** Formats the result of `svc fixtures --check` as JUnit XML, with a test case per scenario. */
export const formatCheckJunit = ({ result, passedScenarios }: CheckOutcome): string => {
  const cases: JunitCase[] = [
    ...passedScenarios.map((name) => ({ name })),
    ...result.failed.map((failedScenario) => ({
      name: failedScenario.scenario,
      failure: { message: describeFailedScenario(failedScenario), type: 'fixtures' },
    })),
  ]
  return formatJunit('svc fixtures', [{ name: 'fixtures', cases }])
}

import { formatJunit, type JunitCase } from '../text/junit'
import { formatInertMarkdown, formatMarkdownTable } from '../text/markdown'
import { formatCount } from '../text/table'
import type { CheckResult, FailedScenario } from './check'

/** Describes a failed scenario on one line: its differing golden files, then its problems. */
const describeFailedScenario = ({ differs, problems }: FailedScenario): string => {
  const differing = differs.length === 0 ? [] : [`${differs.join(', ')} differ`]
  return [...differing, ...problems].join('; ').replaceAll('\n', ' ')
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

/** Formats the result of `svc fixtures --check` as JUnit XML: a test case per failed scenario, and one for all that passed. */
export const formatCheckJunit = ({ passed, failed }: CheckResult): string => {
  const cases: JunitCase[] = failed.map((failedScenario) => ({
    name: failedScenario.scenario,
    failure: { message: describeFailedScenario(failedScenario), type: 'fixtures' },
  }))
  if (passed > 0) cases.unshift({ name: `${formatCount(passed, 'scenario')} as recorded` })
  return formatJunit('svc fixtures', [{ name: 'fixtures', cases }])
}

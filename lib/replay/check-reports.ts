import { formatJunit } from '../failure/text/junit'
import { formatInertMarkdown, formatMarkdownTable } from '../failure/text/markdown'
import { formatCount } from '../failure/text/table'
import type { CheckResult, FailedScenario } from './check'

/** Describes a failed scenario on one line: its differing golden files, then its problems. */
const describeFailed = ({ differs, problems }: FailedScenario): string => {
  const differing = differs.length === 0 ? [] : [`${differs.join(', ')} differ`]
  return [...differing, ...problems].join('; ').replaceAll('\n', ' ')
}

/** Formats the result of `svc fixtures --check` as Markdown, for the job summary of a CI system. */
export const formatCheckMarkdown = ({ scenarios, passed, failed }: CheckResult): string => {
  const head = `# svc fixtures: ${failed.length === 0 ? 'ok' : 'FAIL'}`
  const counts = `${passed} of ${formatCount(scenarios, 'scenario')} passed`
  if (failed.length === 0) return [head, counts].join('\n\n')
  const cells = failed.map((one) => [
    formatInertMarkdown(one.scenario),
    formatInertMarkdown(describeFailed(one)),
  ])
  return [head, counts, formatMarkdownTable(['Scenario', 'Problem'], cells)].join('\n\n')
}

/** Formats the result of `svc fixtures --check` as JUnit XML: a test case per failed scenario, and one for all that passed. */
export const formatCheckJunit = ({ passed, failed }: CheckResult): string =>
  formatJunit('svc fixtures', [
    {
      name: 'fixtures',
      cases: [
        ...(passed === 0 ? [] : [{ name: `${formatCount(passed, 'scenario')} as recorded` }]),
        ...failed.map((one) => ({
          name: one.scenario,
          failure: { message: describeFailed(one), type: 'fixtures' },
        })),
      ],
    },
  ])

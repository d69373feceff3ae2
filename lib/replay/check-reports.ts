import { formatJunit } from '../failure/text/junit'
import { formatInertMarkdown, formatMarkdownTable } from '../failure/text/markdown'
import { formatCount } from '../failure/text/table'
import type { Checked, FailedScenario } from './check'

/** Describes a failed scenario in one line: what differs, then what was wrong with its requests. */
const describeFailed = ({ differs, problems }: FailedScenario): string => {
  const differing = differs.length === 0 ? [] : [`${differs.join(', ')} differ`]
  return [...differing, ...problems].join('; ').replaceAll('\n', ' ')
}

/** Writes the result of `svc fixtures --check` as Markdown, for the job summary of a CI system. */
export const writeCheckMarkdown = ({ scenarios, passed, failed }: Checked): string => {
  const head = `# svc fixtures: ${failed.length === 0 ? 'ok' : 'FAIL'}`
  const counts = `${passed} of ${formatCount(scenarios, 'scenario')} passed`
  if (failed.length === 0) return [head, counts].join('\n\n')
  const cells = failed.map((one) => [
    formatInertMarkdown(one.scenario),
    formatInertMarkdown(describeFailed(one)),
  ])
  return [head, counts, formatMarkdownTable(['Scenario', 'Problem'], cells)].join('\n\n')
}

/** Writes the result of `svc fixtures --check` as JUnit XML: one test case for each failed scenario, one for all others. */
export const writeCheckJunit = ({ passed, failed }: Checked): string =>
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

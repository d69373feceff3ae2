import { accuracyOf } from '../evaluate/figures'
import { formatPassingShare } from '../evaluate/passing-rows'
import { formatShare } from '../format-figures'
import { escapeText, formatCoordinate, formatPercentCell } from './markup'
import type { AssessedQuestion } from './section'

/** The ticks of the chart. The style sheet draws a line at each. */
const ticks = [0, 0.2, 0.4, 0.6, 0.8, 1]

/**
 * Formats the chart that opens the page: a row for each question, with its accuracy as a dot, its interval as a bar, and the accuracy of
 * always giving the most common answer as a tick. It is a table, so that it fits narrow windows, and every number is a text too.
 */
export const formatOverviewChart = (
  questions: ReadonlyMap<string, AssessedQuestion>,
  createAnchor: (questionIndex: number) => string,
): string => {
  const tickLabels = ticks.map(
    (tick) => `<span style="left:${tick * 100}%">${formatShare(tick)}</span>`,
  )
  const rows = Array.from(questions, ([id, question], i) =>
    formatRow(id, question, createAnchor(i)),
  )
  return `<h2 class="chart-title">Right answers, with 95 % intervals</h2>
<table class="chart">
<thead><tr><th scope="col">question</th><th scope="col" class="track"><span class="only-read">accuracy from 0 % to 100 %</span><span aria-hidden="true">${tickLabels.join('')}</span></th><th scope="col">right</th><th scope="col">passes at 95 %</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody></table>
<p class="soft"><span class="key base"></span> always giving the most common answer. “passes at 95 %” is the share of all rows whose answers you can accept without a person today, if 95 % of these must be right.</p>`
}

const formatRow = (id: string, { figures, passing }: AssessedQuestion, anchor: string): string => {
  const { accuracy, interval } = accuracyOf(figures)
  const { baseline, type } = figures
  const range =
    interval === undefined
      ? ''
      : ` <span class="soft">${formatPercentCell(interval.low)} to ${formatPercentCell(interval.high)}</span>`
  const marks = [
    baseline.accuracy === null
      ? ''
      : `<i class="base" style="left:${formatLeft(baseline.accuracy)}"></i>`,
    interval === undefined
      ? ''
      : `<i class="range" style="left:${formatLeft(interval.low)};width:${formatLeft(interval.high - interval.low)}"></i>`,
    accuracy === null ? '' : `<i class="point" style="left:${formatLeft(accuracy)}"></i>`,
  ]
  const baselineText =
    baseline.accuracy === null
      ? ''
      : `<span class="only-read">most common answer ${formatPercentCell(baseline.accuracy)}</span>`
  return `<tr><th scope="row"><a href="#${anchor}">${escapeText(id)}</a> <span class="soft">${type}</span></th><td class="track"><div>${marks.join('')}</div>${baselineText}</td><td class="value"><b>${formatPercentCell(accuracy)}</b>${range}</td><td class="passes">${formatPassingShare(passing)}</td></tr>`
}

/** Formats a share as a CSS length of the track. */
const formatLeft = (share: number): string => `${formatCoordinate(share * 100)}%`

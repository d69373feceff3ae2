import * as E from 'fp-ts/Either'
import type { Draft } from '../codec/json/draft'
import type { ReviewUnit } from '../codec/review-config'
import { formatInertMarkdown, formatMarkdownLine, formatMarkdownTable } from '../text/markdown'
import type { Bundle } from './bundle'
import { createReviewQuestions } from './questions'
import { isTruncated, readUnitState, type Sources, type UnitState } from './unit-state'

/**
 * The result of a dry run of one unit, a section of the spec with its implementation and tests: the sizes that its request would have,
 * or a message if the unit cannot run.
 */
interface UnitForecast {
  readonly unit: ReviewUnit
  readonly sizes: E.Either<string, StateSizes>
}

/** A bundle without its text, which would take memory. */
type BundleSize = Omit<Bundle, 'text'>

/** The sizes of the parts of a unit's state. */
interface StateSizes {
  /** The size of the section of the spec, in UTF-8. */
  readonly specBytes: number
  readonly implementation: BundleSize
  readonly tests: BundleSize
}

/** Measures the request of each unit, one after the other, without sending it. Reads the files of the unit. */
export const forecastUnits = async (
  sources: Sources,
  units: ReadonlyArray<ReviewUnit>,
  signal: AbortSignal,
): Promise<ReadonlyArray<UnitForecast>> => {
  const forecasts: UnitForecast[] = []
  for (const unit of units) {
    const state = await readUnitState(sources, unit, signal)
    const sizes = E.isLeft(state) ? state : E.right(measureState(state.right))
    forecasts.push({ unit, sizes })
  }
  return forecasts
}

const measureState = ({ spec, implementation, tests }: UnitState): StateSizes => ({
  specBytes: Buffer.byteLength(spec),
  implementation: dropText(implementation),
  tests: dropText(tests),
})

const dropText = ({ size, truncated }: Bundle): BundleSize => ({ size, truncated })

/** Returns the size of a bundle before any cut as a percentage of its maximum size. */
const percentOfMax = ({ size }: BundleSize, maxBytes: number): number =>
  // The maximum is half of --max-state-bytes, which is 0 for --max-state-bytes 1.
  Math.round((size / Math.max(maxBytes, 1)) * 100)

/** Encodes the forecasts as a document with an entry for each unit. `maxBytes` is the maximum size of a bundle. */
export const encodeForecasts = (forecasts: ReadonlyArray<UnitForecast>, maxBytes: number): Draft =>
  forecasts.map(({ unit, sizes }) => {
    const { name } = unit
    if (E.isLeft(sizes)) return { name, error: sizes.left }
    const { specBytes, implementation, tests } = sizes.right
    return {
      name,
      questions: createReviewQuestions(unit.behaviors).length,
      spec_bytes: specBytes,
      implementation_bytes: implementation.size,
      implementation_budget_percent: percentOfMax(implementation, maxBytes),
      tests_bytes: tests.size,
      tests_budget_percent: percentOfMax(tests, maxBytes),
      truncated: isTruncated(sizes.right),
    }
  })

const columns = ['Unit', 'Questions', 'Spec bytes', 'Implementation bytes', 'Test bytes', 'Cut']

/** Formats the forecasts as Markdown: a table, followed by the errors of units that could not run. */
export const formatForecasts = (
  forecasts: ReadonlyArray<UnitForecast>,
  maxBytes: number,
): string => {
  const describeBundle = (bundle: BundleSize): string =>
    `${bundle.size} (${percentOfMax(bundle, maxBytes)} %)`
  const rows = forecasts.map(({ unit, sizes }) => {
    const questions = `${createReviewQuestions(unit.behaviors).length}`
    if (E.isLeft(sizes)) return [formatInertMarkdown(unit.name), questions, '-', '-', '-', 'error']
    const { specBytes, implementation, tests } = sizes.right
    const cut = isTruncated(sizes.right) ? 'yes' : 'no'
    return [
      formatInertMarkdown(unit.name),
      questions,
      `${specBytes}`,
      describeBundle(implementation),
      describeBundle(tests),
      cut,
    ]
  })
  // The errors come from the user's own files, so svc does not disarm Markdown in them.
  const errors = forecasts.flatMap(({ unit, sizes }) =>
    E.isLeft(sizes)
      ? [`## ${formatInertMarkdown(unit.name)}`, `error: ${formatMarkdownLine(sizes.left)}`]
      : [],
  )
  return ['# svc review --dry-run', formatMarkdownTable(columns, rows), ...errors].join('\n\n')
}

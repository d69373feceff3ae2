import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as T from 'fp-ts/Task'
import * as TE from 'fp-ts/TaskEither'
import type { Draft } from '../codec/json/draft'
import type { ReviewUnit } from '../codec/review-config'
import {
  formatInertMarkdown,
  formatMarkdownLine,
  formatMarkdownTable,
} from '../failure/text/markdown'
import type { Bundle } from './bundle'
import { createReviewQuestions } from './questions'
import { isTruncated, readUnitState, type Sources, type UnitState } from './unit-state'

/** The sizes that a unit would send, or the reason why it could not run, as a message for the report. */
interface Outlook {
  readonly unit: ReviewUnit
  readonly sizes: E.Either<string, Sizes>
}

/** The sizes of a unit's material in bytes of UTF-8. The bundles are without their texts. */
interface Sizes {
  readonly spec: number
  readonly implementation: Bundle
  readonly tests: Bundle
}

/** Reads the material of each unit, one unit after the other. */
export const readOutlooks = (
  from: Sources,
  units: ReadonlyArray<ReviewUnit>,
  signal: AbortSignal,
): T.Task<ReadonlyArray<Outlook>> =>
  pipe(
    units,
    T.traverseSeqArray((unit) =>
      pipe(
        readUnitState(from, unit, signal),
        TE.map(measureState),
        T.map((sizes) => ({ unit, sizes })),
      ),
    ),
  )

const measureState = ({ spec, implementation, tests }: UnitState): Sizes => ({
  spec: Buffer.byteLength(spec),
  implementation: { ...implementation, text: '' },
  tests: { ...tests, text: '' },
})

const percentOf = ({ size }: Bundle, budget: number): number =>
  Math.round((size / Math.max(budget, 1)) * 100)

/** Writes the outlooks as a document with an entry for each unit. `budget` is in bytes, for each bundle. */
export const describeOutlooks = (list: ReadonlyArray<Outlook>, budget: number): Draft =>
  list.map(({ unit, sizes }) => {
    const { name } = unit
    if (E.isLeft(sizes)) return { name, error: sizes.left }
    const { spec, implementation, tests } = sizes.right
    return {
      name,
      questions: createReviewQuestions(unit.behaviors).length,
      spec_bytes: spec,
      implementation_bytes: implementation.size,
      implementation_budget_percent: percentOf(implementation, budget),
      tests_bytes: tests.size,
      tests_budget_percent: percentOf(tests, budget),
      truncated: isTruncated(sizes.right),
    }
  })

const columns = ['Unit', 'Questions', 'Spec bytes', 'Implementation bytes', 'Test bytes', 'Cut']

/** Writes the outlooks as Markdown: a table, followed by the reasons why units could not run. */
export const formatOutlooks = (list: ReadonlyArray<Outlook>, budget: number): string => {
  const describeBundle = (bundle: Bundle): string =>
    `${bundle.size} (${percentOf(bundle, budget)} %)`
  const rows = list.map(({ unit, sizes }) => {
    const asked = `${createReviewQuestions(unit.behaviors).length}`
    if (E.isLeft(sizes)) return [formatInertMarkdown(unit.name), asked, '-', '-', '-', 'error']
    const { spec, implementation, tests } = sizes.right
    const cut = isTruncated(sizes.right) ? 'yes' : 'no'
    return [
      formatInertMarkdown(unit.name),
      asked,
      `${spec}`,
      describeBundle(implementation),
      describeBundle(tests),
      cut,
    ]
  })
  const errors = list.flatMap(({ unit, sizes }) =>
    E.isLeft(sizes)
      ? [`## ${formatInertMarkdown(unit.name)}`, `error: ${formatMarkdownLine(sizes.left)}`]
      : [],
  )
  return ['# svc review --dry-run', formatMarkdownTable(columns, rows), ...errors].join('\n\n')
}

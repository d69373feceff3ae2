import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as T from 'fp-ts/Task'
import * as TE from 'fp-ts/TaskEither'
import type { Result } from '../cli/declaration'
import type { ReviewUnit } from '../codec/review-config'
import { exitCode } from '../failure/classify'
import type { Failure } from '../failure/failure'
import type { Runtime } from '../runtime/runtime'
import { oneLine } from '../text/markdown'
import type { Bundle } from './bundle'
import { markdownTable } from './markdown-table'
import { gather, isTruncated, type Material, type Sources } from './material'
import { questions } from './questions'

/** What a dry run needs of a command's context. */
interface DryContext {
  readonly runtime: Runtime
  readonly flags: { readonly json: boolean }
}

/** How a unit would go out, or why it could not. */
interface Outlook {
  readonly unit: ReviewUnit
  readonly sizes: E.Either<string, Sizes>
}

/** In bytes of UTF-8; the bundles without their texts. */
interface Sizes {
  readonly spec: number
  readonly implementation: Bundle
  readonly tests: Bundle
}

/**
 * Checks headings and files of all units and shows how much of the budget they take. Makes no
 * call and writes no report; ends with 8 when a unit could not run.
 */
export const dryRun = (
  context: DryContext,
  from: Sources,
  units: ReadonlyArray<ReviewUnit>,
): TE.TaskEither<Failure, Result> =>
  pipe(
    units,
    T.traverseSeqArray((unit) =>
      pipe(
        gather(from, unit),
        TE.map(sizesOf),
        T.map((sizes): Outlook => ({ unit, sizes })),
      ),
    ),
    T.chain((outlooks) => async () => {
      const failing = outlooks.filter(({ sizes }) => E.isLeft(sizes)).length
      const { stderr } = context.runtime
      await stderr.write(`review: checked ${outlooks.length} units, no call made\n`)
      if (failing > 0)
        await stderr.write(`review: ${failing} of ${outlooks.length} units cannot run\n`)
      const stdout = context.flags.json
        ? { document: outlooks.map(entry(from.bundleBytes)) }
        : summary(outlooks, from.bundleBytes)
      return E.right(failing === 0 ? { stdout } : { stdout, exit: exitCode.flagged })
    }),
  )

const sizesOf = ({ spec, implementation, tests }: Material): Sizes => ({
  spec: Buffer.byteLength(spec),
  implementation: { ...implementation, text: '' },
  tests: { ...tests, text: '' },
})

const percent = ({ size }: Bundle, budget: number): number =>
  Math.round((size / Math.max(budget, 1)) * 100)

const entry =
  (budget: number) =>
  ({ unit, sizes }: Outlook) => {
    const { name } = unit
    if (E.isLeft(sizes)) return { name, error: sizes.left }
    const { spec, implementation, tests } = sizes.right
    return {
      name,
      questions: questions(unit.behaviors).length,
      spec_bytes: spec,
      implementation_bytes: implementation.size,
      implementation_budget_percent: percent(implementation, budget),
      tests_bytes: tests.size,
      tests_budget_percent: percent(tests, budget),
      truncated: isTruncated(sizes.right),
    }
  }

const columns = ['Unit', 'Questions', 'Spec bytes', 'Implementation bytes', 'Test bytes', 'Cut']

const summary = (outlooks: ReadonlyArray<Outlook>, budget: number): string => {
  const side = (bundle: Bundle): string => `${bundle.size} (${percent(bundle, budget)} %)`
  const rows = outlooks.map(({ unit, sizes }) => {
    const asked = `${questions(unit.behaviors).length}`
    if (E.isLeft(sizes)) return [unit.name, asked, '-', '-', '-', 'error']
    const { spec, implementation, tests } = sizes.right
    const cut = isTruncated(sizes.right) ? 'yes' : 'no'
    return [unit.name, asked, `${spec}`, side(implementation), side(tests), cut]
  })
  const errors = outlooks.flatMap(({ unit, sizes }) =>
    E.isLeft(sizes) ? [`## ${oneLine(unit.name)}`, `error: ${oneLine(sizes.left)}`] : [],
  )
  return ['# svc review --dry-run', markdownTable(columns, rows), ...errors].join('\n\n')
}

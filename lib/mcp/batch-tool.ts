import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { permute } from '../client/ask/permute'
import { encode } from '../codec/json/draft'
import { Json } from '../codec/json/json'
import type { Template } from '../codec/request'
import { type Failure, interrupted, validation } from '../failure/failure'
import { askAll, type Step } from '../runs/batch/ask-all'
import { itemsOf, type Plan } from '../runs/batch/ask-row'
import { createPacedRun } from '../runs/batch/pace'
import { createSums, summaryDraft } from '../runs/batch/summary'
import { questionsDigest } from '../runs/record/record'
import { type BatchArguments, readBatchArguments } from './arguments'
import { describeSize, type Members, mostBytes } from './result'
import { type Call, modelOf, noteModels, type Session, selectJudging } from './session'

/** The most rows of a call that are asked at the same time: the default of `svc batch`. */
const concurrency = 8

/**
 * Runs the `batch` tool: asks the same questions about every row, and returns the records that `svc batch`
 * writes, and its summary. R26
 */
export const runBatchTool = (
  session: Session,
  given: Json | undefined,
  call: Call,
): TE.TaskEither<Failure, Members> =>
  pipe(
    TE.fromEither(readBatchArguments(given)),
    TE.bind('plan', ({ template }) => TE.fromEither(planOf(session, template))),
    TE.chain(({ plan, rows }) => askRows(session, plan, rows, call)),
  )

const planOf = (session: Session, template: Template): E.Either<Failure, Plan> =>
  pipe(
    selectJudging(session, template),
    E.bindTo('judging'),
    E.bind('permuted', () => permute(template.questions, undefined)),
    E.map(({ judging, permuted }) => ({
      ...judging,
      ...{ template, permuted, withState: false },
      questionsSha256: questionsDigest(template.questions),
      model: modelOf(session, template),
    })),
  )

const askRows =
  (
    session: Session,
    plan: Plan,
    rows: BatchArguments['rows'],
    { signal, span, progress }: Call,
  ): TE.TaskEither<Failure, Members> =>
  async () => {
    const speed = { concurrency, rpm: undefined, failFast: false }
    const run = createPacedRun(plan, { ...session.client, signal, parent: span }, speed)
    const sums = createSums()
    const records: Json[] = []
    const end = await askAll(stepsOf(rows), run, async (written) => {
      for (const { line, tally } of written) {
        sums.add(tally)
        records.push(new Json(line, 0, line.length - 1))
      }
      progress(records.length, rows.length)
      return 'more'
    })
    if (end.is === 'auth') return E.left(end.failure)
    if (end.is !== 'complete') return E.left(interrupted)
    const sum = sums.sum()
    noteModels(session, plan, sum.models.keys())
    const gated = plan.requirements.length > 0
    const course = { repeat: 1, attempts: run.attempts(), complete: true, gated, reuses: false }
    return checkSize({ rows: records, summary: summaryDraft(sum, course) }, records)
  }

async function* stepsOf(rows: BatchArguments['rows']): AsyncGenerator<Step, void, undefined> {
  for (const [index, { id, state }] of rows.entries())
    for (const item of itemsOf({ index, line: index + 1, ...(id && { id }), state }, undefined))
      yield E.right({ item })
}

/** Returns the document. Fails where it is too large, and says how many of the rows would fit. R26 */
const checkSize = (document: Members, records: ReadonlyArray<Json>): E.Either<Failure, Members> => {
  const { length } = encode(document)
  if (length <= mostBytes) return E.right(document)
  let left = mostBytes - (length - records.reduce((sum, one) => sum + lengthOf(one), 0))
  const fit = records.findIndex((one) => {
    left -= lengthOf(one)
    return left < 0
  })
  return E.left(validation('rows', `${describeSize(length)}; rows that would fit: ${fit}`))
}

/** The length of a record in bytes, with the comma after it. */
const lengthOf = ({ start, end }: Json): number => end - start + 1

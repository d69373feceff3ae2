import * as E from 'fp-ts/Either'
import { type Json, stringIn, textOf } from '../codec/json/json'
import type { RunRecord } from '../runs/record/decode'
import { isAnswered } from '../runs/record/outcome'
import { isKnown } from './decision'
import type { LabelledRows, LabelledRun } from './labelled'
import { QuestionRows } from './question-rows'
import { ones } from './statistics/numbers'
import { unitsOfRows } from './statistics/units'

/** Reads the text that the page shows of a record, where it is wanted. */
export type ReadText = (record: RunRecord) => string | undefined

/**
 * Collects what the figures need of a run, record by record, without keeping its texts; only those of the most confident
 * errors are read, by `readText`.
 */
export const createCollector = (readText: ReadText = () => undefined) => {
  const questions = new Map<string, QuestionRows>()
  const refusals = new Map<string, number>()
  const groups = new Names()
  const models = new Set<string>()
  const digests = new Set<string>()
  /** Questions that have a label but no answer so far, each with the line of the label. */
  const unanswered = new Map<string, number>()
  const count = { rows: 0, answered: 0, labelled: 0, refused: 0 }

  /** Adds a record, whose labels stand on the line `labelLine` of their file. Returns what is wrong with it, if anything. */
  const add = (record: RunRecord, labelLine = record.line): string | undefined => {
    // Repetitions of a row are not measured, as R24 compares only the first answer too.
    if ((record.run ?? 0) > 0) return undefined
    count.rows++
    const { outcome } = record
    if (!isAnswered(outcome)) return undefined
    if (record.p === null) return nothingToSay
    count.answered++
    if (record.labels.size > 0) count.labelled++
    models.add(outcome.model)
    const digest = stringIn(record.questionsSha256)
    if (digest !== undefined) digests.add(digest)
    let isRefused = false
    for (const [id, answer] of outcome.answers) {
      if (!isKnown(answer)) {
        if (answer.type === 'refusal') {
          isRefused = true
          refusals.set(id, (refusals.get(id) ?? 0) + 1)
        } else if (record.labels.has(id))
          return `labels.${id}: answers of type "${answer.name}" have no measure`
        continue
      }
      let rows = questions.get(id)
      if (rows === undefined) {
        rows = new QuestionRows(answer.type)
        questions.set(id, rows)
      }
      const fault = rows.noteLabels(answer)
      if (fault !== undefined) return `answers.${id}: ${fault}`
      const label = record.labels.get(id)
      if (label === undefined) continue
      const group = groupOf(record)
      const wrong = rows.add(answer, label, {
        line: labelLine,
        index: record.index,
        id: () => idOf(record),
        text: () => readText(record),
        stateSha256: () => stringIn(record.stateSha256),
        group: group === undefined ? -1 : groups.placeOf(group),
        weight: 1 / (record.p ?? 1),
      })
      if (wrong !== undefined) return `labels.${id}: ${wrong}`
    }
    if (isRefused) count.refused++
    for (const id of record.labels.keys())
      if (!outcome.answers.has(id) && !unanswered.has(id)) unanswered.set(id, labelLine)
    return undefined
  }

  /** Returns everything collected. Fails with a faulty label, and its line, that only the whole run reveals. */
  const finish = (): E.Either<string, LabelledRun> => {
    for (const [id, line] of unanswered)
      if (!questions.has(id) && !refusals.has(id))
        return E.left(`line ${line}: labels.${id}: no answer has this question`)
    const finished = new Map<string, LabelledRows>()
    const plain = createPlain()
    for (const [id, rows] of questions) {
      const result = rows.finish(refusals.get(id) ?? 0, plain)
      if ('cause' in result) return E.left(`line ${result.line}: labels.${id}: ${result.cause}`)
      finished.set(id, result)
      // What was collected is now held twice. Without this it would be so for all questions at once.
      questions.delete(id)
    }
    return E.right({
      ...count,
      questions: finished,
      groups: groups.list,
      models: [...models],
      questionsSha256: [...digests],
    })
  }
  return { add, finish }
}

/** Makes the weights and units of rows without weights and groups: once for all questions with as many rows. */
const createPlain = () => {
  const known = new Map<number, Pick<LabelledRows, 'weights' | 'units'>>()
  return (rows: number) => {
    const plain = known.get(rows) ?? { weights: ones(rows), units: unitsOfRows(rows) }
    known.set(rows, plain)
    return plain
  }
}

/** What is wrong with rows that were drawn as the least certain ones alone. R25 */
export const nothingToSay =
  '"p" is null: the row was not drawn by chance, so nothing can be said of the run from it'

/** The id of a record as text: a string as it is, any other value as its JSON text. D7 */
export const idOf = ({ id }: RunRecord): string | undefined => id && nameOf(id)

/** The group of a record as text, in the same way. */
export const groupOf = ({ group }: RunRecord): string | undefined => group && nameOf(group)

const nameOf = (value: Json): string => stringIn(value) ?? textOf(value)

/** Numbers texts from 0 on, in the order of their first appearance. */
export class Names {
  private readonly places = new Map<string, number>()
  readonly list: string[] = []

  placeOf(name: string): number {
    const known = this.places.get(name)
    if (known !== undefined) return known
    this.places.set(name, this.list.length)
    return this.list.push(name) - 1
  }
}

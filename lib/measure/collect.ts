import * as E from 'fp-ts/Either'
import { type Json, stringIn, textOf } from '../json/json'
import { isAnswered, type RunRecord } from '../run/decode'
import { isKnown } from './decision'
import type { LabelledRun } from './labelled'
import { Names } from './names'
import { QuestionRows } from './question-rows'

/** Collects what the figures need of a run, record by record, without keeping its texts. */
interface Collector {
  /** Adds a record. Returns what is wrong with it, `undefined` where nothing is. */
  readonly add: (record: RunRecord) => string | undefined
  /** Returns everything collected. Fails with a fault, and its line, that only the whole run reveals. */
  readonly finish: () => E.Either<string, LabelledRun>
}

/** Creates a collector for one run. */
export const collector = (): Collector => {
  const questions = new Map<string, QuestionRows>()
  const groups = new Names()
  const models = new Set<string>()
  const digests = new Set<string>()
  /** Questions that have a label but no answer so far, each with the line of the label. */
  const unanswered = new Map<string, number>()
  const count = { rows: 0, answered: 0, labelled: 0 }

  const add = (record: RunRecord): string | undefined => {
    // Repetitions of a row are not measured, as R24 compares only the first answer too.
    if ((record.run ?? 0) > 0) return undefined
    count.rows++
    const { outcome } = record
    if (!isAnswered(outcome)) return undefined
    count.answered++
    if (record.labels.size > 0) count.labelled++
    models.add(outcome.model)
    if (record.questionsSha256 !== undefined) digests.add(record.questionsSha256)
    for (const [id, answer] of outcome.answers) {
      if (!isKnown(answer)) {
        if (answer.type === 'other' && record.labels.has(id))
          return `labels.${id}: answers of type "${answer.name}" have no measure`
        continue
      }
      let rows = questions.get(id)
      if (rows === undefined) {
        rows = new QuestionRows(answer.type)
        questions.set(id, rows)
      }
      const fault = rows.list(answer)
      if (fault !== undefined) return `answers.${id}: ${fault}`
      const label = record.labels.get(id)
      if (label === undefined) continue
      const group = groupOf(record)
      const wrong = rows.add(answer, label, {
        line: record.line,
        index: record.index,
        id: () => idOf(record),
        group: group === undefined ? -1 : groups.placeOf(group),
        weight: 1 / (record.p ?? 1),
      })
      if (wrong !== undefined) return `labels.${id}: ${wrong}`
    }
    for (const id of record.labels.keys())
      if (!outcome.answers.has(id) && !unanswered.has(id)) unanswered.set(id, record.line)
    return undefined
  }

  const finish = (): E.Either<string, LabelledRun> => {
    for (const [id, line] of unanswered)
      if (!questions.has(id))
        return E.left(`line ${line}: labels.${id}: no answer has this question`)
    const finished = new Map()
    for (const [id, rows] of questions) {
      const result = rows.finish()
      if ('cause' in result) return E.left(`line ${result.line}: labels.${id}: ${result.cause}`)
      finished.set(id, result)
    }
    return E.right({
      ...count,
      questions: finished,
      groups: groups.list(),
      models: [...models],
      questionsSha256: [...digests],
    })
  }
  return { add, finish }
}

/** The id of a record as text: a string as it is, any other value as its JSON text. D7 */
export const idOf = ({ id }: RunRecord): string | undefined => id && textOfName(id)

/** The group of a record as text, in the same way. */
export const groupOf = ({ group }: RunRecord): string | undefined => group && textOfName(group)

const textOfName = (value: Json): string => stringIn(value) ?? textOf(value)

import type { Answer } from '../../codec/answer'
import {
  type JsonObject,
  type JsonValue,
  memberIn,
  membersIn,
  stringIn,
} from '../../codec/json/json'
import { leadOf } from '../../codec/probabilities'
import type { PolicyOutcome } from '../../runs/policy/policy'
import type { RunRecord } from '../../runs/record/decode'
import { isAnswered } from '../../runs/record/outcome'
import { formatCells, formatCsvLine } from '../../runs/rows/csv'
import { decisionOf, distributionOf, isKnown, type KnownAnswer } from '../decision'
import { groupOf, idOf } from '../record-names'
import { outcomeIn } from './selection'

/** A record that was kept, and its row of the input if that is read. */
export interface SelectedRecord {
  readonly record: RunRecord
  readonly row: JsonValue | undefined
}

/**
 * Writes records as a CSV table. It begins with the columns of the input's first row (else index, id and group). For
 * each question of the first answered record follow the answer, the decision in words, the largest probability, the
 * judgement of a policy if that record has one, and the label if `hasLabels`. The error is last. Records before the
 * first answered one are held back until it comes.
 */
export const createTable = (hasLabels: boolean) => {
  let columns: Columns | undefined
  let waiting: SelectedRecord[] = []

  const writeRow = (kept: SelectedRecord, known: Columns): string =>
    formatCsvLine(cellsOfKept(kept, known))
  const begin = (known: Columns): string => {
    columns = known
    const lines = waiting.map((kept) => writeRow(kept, known))
    waiting = []
    return formatCsvLine(headerOf(known)) + lines.join('')
  }
  return {
    /** Returns the lines that a record adds, or its fault. */
    add: (kept: SelectedRecord): { readonly lines: string } | { readonly fault: string } => {
      const { record } = kept
      if (columns !== undefined) {
        const fault = findUnknown(kept, columns)
        return fault === undefined ? { lines: writeRow(kept, columns) } : { fault }
      }
      waiting.push(kept)
      return { lines: isAnswered(record.outcome) ? begin(columnsOf(waiting, hasLabels)) : '' }
    },
    /** Returns the lines that are left. If no answered record was kept, the columns are those of `passed`. */
    finish: (passed: SelectedRecord | undefined): string => {
      if (columns !== undefined) return ''
      return begin(columnsOf(passed === undefined ? waiting : [...waiting, passed], hasLabels))
    },
  }
}

interface Columns {
  /** The columns of the input; `undefined` if it is not read. */
  readonly row: ReadonlyArray<string> | undefined
  readonly questions: ReadonlyArray<string>
  /** The questions that have a policy. */
  readonly policies: ReadonlySet<string>
  readonly hasLabels: boolean
}

const columnsOf = (kept: ReadonlyArray<SelectedRecord>, hasLabels: boolean): Columns => {
  const rows = kept.flatMap(({ row }) => (row === undefined ? [] : [row]))
  const last = kept.at(-1)?.record
  const answers = last !== undefined && isAnswered(last.outcome) ? last.outcome.answers : new Map()
  const names = rows.flatMap((row) => formatCells(row).map(([name]) => name))
  return {
    row: rows.length === 0 ? undefined : [...new Set(names)],
    questions: [...answers.keys()],
    policies: new Set(last === undefined ? [] : policyOf(last).keys()),
    hasLabels,
  }
}

/** Reads the judgements of a policy on each question of a record. */
const policyOf = ({ document }: RunRecord): JsonObject => membersIn(memberIn(document, 'policy'))

const headerOf = (columns: Columns): ReadonlyArray<string> => {
  const { row, questions, policies, hasLabels } = columns
  const own = questions.flatMap((id) => [
    id,
    `${id}.decision`,
    `${id}.top`,
    ...(policies.has(id) ? [`${id}.calibrated`, `${id}.outcome`] : []),
    ...(hasLabels ? [`${id}.label`] : []),
  ])
  const taken = new Set([...own, 'error'])
  const given = row?.map((name) => (taken.has(name) ? `input.${name}` : name))
  return [...(given ?? ['index', 'id', 'group']), ...own, 'error']
}

/** NameNumbers the first part of a record that no column can show; `undefined` if there is a column for everything. */
const findUnknown = ({ record, row }: SelectedRecord, columns: Columns): string | undefined => {
  const field =
    row === undefined
      ? undefined
      : formatCells(row).find(([name]) => !columns.row?.includes(name))?.[0]
  if (field !== undefined)
    return `its row has a field "${field}", which the first row does not have`
  if (!isAnswered(record.outcome)) return undefined
  const id = [...record.outcome.answers.keys()].find((one) => !columns.questions.includes(one))
  return id === undefined ? undefined : `answers "${id}", which the first answered row does not`
}

const cellsOfKept = ({ record, row }: SelectedRecord, columns: Columns): ReadonlyArray<string> => {
  const given = new Map(row === undefined ? [] : formatCells(row))
  const head =
    columns.row === undefined
      ? [String(record.index), idOf(record) ?? '', groupOf(record) ?? '']
      : columns.row.map((name) => given.get(name) ?? '')
  const policies = policyOf(record)
  const { outcome } = record
  const cells = columns.questions.flatMap((id) => {
    const answer = isAnswered(outcome) ? outcome.answers.get(id) : undefined
    const judged = policies.get(id)
    const policy = judged === undefined ? undefined : outcomeIn(judged)
    return [
      ...cellsOfAnswer(id, answer, policy, record.document),
      ...(columns.policies.has(id) ? cellsOfPolicy(answer, policy) : []),
      ...(columns.hasLabels ? [String(record.labels.get(id) ?? '')] : []),
    ]
  })
  const error = isAnswered(outcome) ? '' : `${outcome.error.kind}: ${outcome.error.message}`
  return [...head, ...cells, error]
}

/** Writes a number with at most four decimals. Probabilities are less precise than that. */
const writeNumber = (value: number | undefined): string =>
  value === undefined ? '' : String(Number(value.toFixed(4)))

/** Returns the answer (P(yes), label or score), the decision in words, and the largest probability. */
const cellsOfAnswer = (
  id: string,
  answer: Answer | undefined,
  policy: PolicyOutcome | undefined,
  document: JsonValue,
): ReadonlyArray<string> => {
  if (answer === undefined || answer.type === 'other') return ['', '', '']
  if (answer.type === 'refusal') return ['refusal', '', '']
  const top = writeNumber(leadOf(distributionOf(answer))?.top)
  switch (answer.type) {
    case 'noul':
      return [writeNumber(answer.noul), decisionIn(answer, policy) ?? '', top]
    case 'choice':
      return [answer.choice, answer.choice, top]
    case 'score': {
      const level = decisionOf(answer)
      const words = level === undefined ? '' : (levelIn(document, id, level) ?? level)
      return [writeNumber(answer.score), words, top]
    }
  }
}

/** The decision of an answer: of a noul that of the policy if it makes one. */
const decisionIn = (answer: KnownAnswer, policy: PolicyOutcome | undefined): string | undefined =>
  policy?.decision === undefined ? decisionOf(answer) : policy.decision ? 'yes' : 'no'

/** The text of a level, if the record has one. */
const levelIn = (document: JsonValue, id: string, level: string): string | undefined => {
  const answers = memberIn(document, 'answers')
  const legend = memberIn(memberIn(answers, id), 'legend')
  return stringIn(memberIn(legend, level))
}

/** The corrected probability of the decision, and the outcome. */
const cellsOfPolicy = (
  answer: Answer | undefined,
  policy: PolicyOutcome | undefined,
): ReadonlyArray<string> => {
  if (policy === undefined) return ['', '']
  const { outcome, calibrated } = policy
  if (answer === undefined || calibrated === null || !isKnown(answer)) return ['', outcome]
  const decision = decisionIn(answer, policy)
  if (typeof calibrated !== 'number')
    return [writeNumber(calibrated.find(([name]) => name === decision)?.[1]), outcome]
  return [writeNumber(decision === 'yes' ? calibrated : 1 - calibrated), outcome]
}

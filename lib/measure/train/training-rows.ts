import { type JsonValue, memberIn } from '../../codec/json/json'
import type { Probabilities } from '../../codec/probabilities'
import type { Label, RunRecord } from '../../runs/record/decode'
import { isAnswered } from '../../runs/record/outcome'
import { createRandom, type Random } from '../../runtime/random'
import { decisionOf, distributionOf, isKnown } from '../decision'
import { isRepetition, type LabelledRecord } from '../labels/labelled-record'
import type { StoredText } from './text-store'

/** The source of the right answers that a model learns from. */
export type TrainingSource = 'labels' | 'answers'

/** A row to train on. */
export interface TrainingRow {
  readonly index: number
  readonly id: JsonValue | undefined
  readonly group: JsonValue | undefined
  readonly labels: ReadonlyMap<string, Label>
  /** The `p` of the label file or of the record: the probability with which the row was drawn for labelling. */
  readonly p: number | undefined
  /** The `p` of the record in the run, which may itself be a sample. */
  readonly runP: number | undefined
  readonly stateSha256: string | undefined
  readonly images: RunRecord['images']
  /** The probabilities that the run's model gave, by question. Of an answer without any, the decision has 1. */
  readonly answers: ReadonlyMap<string, Probabilities>
  /** The features of the text, as soon as they are read. */
  text: StoredText | undefined
}

/** The maximum number of rows to train on. */
export const maxTrainingRows = 100_000

/** The options of `TrainingRowCollector`. */
interface CollectOptions {
  /** `undefined`: labels if the run has any, else answers. */
  readonly from: TrainingSource | undefined
  readonly seed: number
  /** Reads the text of a record. Returns a fault as a string. Absent if the texts are read afterwards, from the input of the run. */
  readonly readText?: ((record: RunRecord) => StoredText | string) | undefined
}

/**
 * Collects the rows to train on while a run is read: those with a label, or, to learn from answers, those with an answer. Of more than
 * `maxTrainingRows` it draws so many by chance.
 */
export class TrainingRowCollector {
  private readonly random: Random
  private rows: Array<{ readonly position: number; readonly row: TrainingRow }> = []
  /** The number of rows that could be trained on. */
  private candidateCount = 0
  private hasLabels = false
  /** The texts of the levels of scores, by question, from the first answer that has some. */
  private readonly legends = new Map<string, JsonValue>()

  constructor(private readonly options: CollectOptions) {
    this.random = createRandom(options.seed)
  }

  /** Adds a record. Returns its fault as a text, if any. */
  add({ record, runP }: LabelledRecord): string | undefined {
    const { outcome } = record
    if (isRepetition(record) || !isAnswered(outcome)) return undefined
    const known = [...outcome.answers].filter(([, answer]) => isKnown(answer))
    const isLabelled = known.some(([id]) => record.labels.has(id))
    if (isLabelled && !this.hasLabels) this.beginLabels()
    if (known.length === 0 || (this.source() === 'labels' && !isLabelled)) return undefined
    for (const [id] of known) this.rememberLegend(id, record)
    const place = this.drawPlace()
    if (place === undefined) return undefined
    const text = this.options.readText?.(record)
    if (typeof text === 'string') return text
    this.rows[place] = { position: this.candidateCount, row: createRow(record, runP, text) }
    return undefined
  }

  /** Returns the rows in the order of their indexes, and what was collected. */
  finish() {
    const rows = this.rows
      .sort((a, b) => a.row.index - b.row.index || a.position - b.position)
      .map(({ row }) => row)
    const { candidateCount, legends } = this
    return { rows, from: this.source(), candidateCount, legends }
  }

  private rememberLegend(id: string, { document }: RunRecord): void {
    if (this.legends.has(id)) return
    const legend = memberIn(memberIn(memberIn(document, 'answers'), id), 'legend')
    if (legend !== undefined) this.legends.set(id, legend)
  }

  private source(): TrainingSource {
    return this.options.from ?? (this.hasLabels ? 'labels' : 'answers')
  }

  /** Forgets the rows before the first label, unless they were wanted for their answers. */
  private beginLabels(): void {
    this.hasLabels = true
    if (this.source() === 'answers') return
    this.rows = []
    this.candidateCount = 0
  }

  /** Returns the place of the next row; `undefined` if it is not drawn. Vitter's algorithm R, ACM TOMS 11 (1985). */
  private drawPlace(): number | undefined {
    this.candidateCount++
    if (this.rows.length < maxTrainingRows) return this.rows.length
    const place = this.random.nextInt(this.candidateCount)
    return place < maxTrainingRows ? place : undefined
  }
}

const createRow = (
  record: RunRecord,
  runP: RunRecord['p'],
  text: StoredText | undefined,
): TrainingRow => {
  const answers = new Map<string, Probabilities>()
  if (isAnswered(record.outcome))
    for (const [id, answer] of record.outcome.answers) {
      if (!isKnown(answer)) continue
      const probabilities = distributionOf(answer)
      const decision = decisionOf(answer)
      if (probabilities.length > 0) answers.set(id, probabilities)
      else if (decision !== undefined) answers.set(id, [[decision, 1]])
    }
  return {
    index: record.index,
    id: record.id,
    group: record.group,
    labels: record.labels,
    p: record.p ?? undefined,
    runP: runP ?? undefined,
    stateSha256: record.stateSha256,
    images: record.images,
    answers,
    text,
  }
}

import { mostLabels } from '../../codec/question-limits'
import { copyId, isAnswered, type RunRecord } from '../../run/decode'
import { groupOf, idOf } from '../collect'
import { isKnown } from '../decision'
import { Names } from '../names'
import { type HeldAnswer, HeldRun, heldAnswer, keyOf, Vocabulary } from './held-run'
import { Noise } from './noise'
import { QuestionPairs } from './pairs'

/** The result of comparing two runs. */
export interface Compared {
  readonly rows: { readonly a: number; readonly b: number }
  readonly paired: number
  readonly models: { readonly a: ReadonlyArray<string>; readonly b: ReadonlyArray<string> }
  /** The questions by id, in the order of first appearance. */
  readonly questions: ReadonlyMap<string, ComparedQuestion>
}

/** The pairs of answers to one question, the number of its labels, and the noise of each run. */
export interface ComparedQuestion {
  readonly pairs: QuestionPairs
  readonly labels: number
  readonly noise: { readonly a: number | null; readonly b: number | null }
}

type Answers = ReadonlyMap<number, HeldAnswer>

/**
 * The most labels of one question in both runs, since two wordings may share none. The computation of kappa
 * takes the square of this.
 */
const mostOfBoth = 2 * mostLabels

/**
 * Pairs the rows of two runs. All records of `b` are taken first and kept as numbers, then those of `a`, whose
 * labels, indexes and ids are used. Both `take` methods return what is wrong with a record, if anything. R24
 */
export class Comparison {
  private readonly words = new Vocabulary()
  private readonly held = new HeldRun()
  private readonly pairs: QuestionPairs[] = []
  private readonly groups = new Names()
  private readonly ids = { a: new Set<string>(), b: new Set<string>() }
  private readonly noise = { a: new Noise(), b: new Noise() }
  private readonly models = { a: new Set<string>(), b: new Set<string>() }
  private readonly rows = { a: 0, b: 0 }
  private paired = 0

  constructor(private readonly byId: boolean) {}

  takeB(record: RunRecord): string | undefined {
    return this.take('b', record, (key, answers) => {
      this.held.add(key, answers)
      return undefined
    })
  }

  takeA(record: RunRecord): string | undefined {
    return this.take('a', record, (key, answers) => {
      const other = key === undefined ? undefined : this.held.take(key)
      if (other !== undefined) this.paired++
      return this.pair(record, answers, other ?? new Map())
    })
  }

  finish(): Compared {
    for (const answers of this.held.left())
      for (const [question, { type }] of answers) this.pairsOf(question, type).unpaired.b++
    const questions = this.words.questions.list().flatMap((id, place) => {
      const pairs = this.pairs[place]
      const noise = { a: this.noise.a.of(place), b: this.noise.b.of(place) }
      const labels = this.words.labelsOf(place).size
      return pairs === undefined ? [] : [[id, { pairs, labels, noise }] as const]
    })
    return {
      rows: this.rows,
      paired: this.paired,
      models: { a: [...this.models.a], b: [...this.models.b] },
      questions: new Map(questions),
    }
  }

  private take(
    side: 'a' | 'b',
    record: RunRecord,
    use: (key: string | undefined, answers: Answers) => string | undefined,
  ): string | undefined {
    const isRepeat = (record.run ?? 0) > 0
    const key = keyOf(record, this.byId)
    if (!isRepeat) {
      this.rows[side]++
      if (this.byId && key !== undefined) {
        if (this.ids[side].has(key)) return `id ${JSON.stringify(idOf(record))} is there twice`
        this.ids[side].add(key)
      }
    }
    const answers = this.read(record, side)
    if (typeof answers === 'string') return answers
    if (isRepeat) {
      this.noise[side].repeat(record.index, answers)
      return undefined
    }
    this.noise[side].begin(record.index, answers)
    return use(key, answers)
  }

  /**
   * Reads the answers of a record as numbers; none where it was not answered. Returns what is wrong with it as
   * a text.
   */
  private read({ outcome, labels }: RunRecord, side: 'a' | 'b'): Answers | string {
    const answers = new Map<number, HeldAnswer>()
    if (!isAnswered(outcome)) return answers
    this.models[side].add(outcome.model)
    for (const [id, answer] of outcome.answers) {
      if (!isKnown(answer)) continue
      const question = this.words.questions.placeOf(id)
      const names = this.words.labelsOf(question)
      const held = heldAnswer(answer, labels.get(id), names)
      if (names.size > mostOfBoth) return `answers.${id}: there are more than ${mostOfBoth} labels`
      if (held === undefined) return `labels.${id}: does not fit a ${answer.type} answer`
      answers.set(question, held)
    }
    return answers
  }

  private pair(record: RunRecord, a: Answers, b: Answers): string | undefined {
    const name = groupOf(record)
    const group = name === undefined ? -1 : this.groups.placeOf(name)
    for (const [question, answer] of a) {
      const pairs = this.pairsOf(question, answer.type)
      const other = b.get(question)
      const id = () => this.words.questions.list()[question]
      if (other === undefined) {
        pairs.unpaired.a++
        continue
      }
      if (other.type !== answer.type)
        return `answers.${id()}: is a ${answer.type} answer, in the other run a ${other.type} answer`
      if (answer.truth >= 0 && other.truth >= 0 && answer.truth !== other.truth)
        return `labels.${id()}: differs from the label in the other run`
      pairs.add(answer, other, {
        truth: answer.truth,
        group,
        flip: () => {
          const labels = this.words.labelsOf(question).list()
          const [from, to] = [labels[answer.decided] as string, labels[other.decided] as string]
          return { index: record.index, id: copyId(record), a: from, b: to }
        },
      })
    }
    for (const [question, { type }] of b)
      if (!a.has(question)) this.pairsOf(question, type).unpaired.b++
    return undefined
  }

  private pairsOf(question: number, type: HeldAnswer['type']): QuestionPairs {
    const known = this.pairs[question]
    if (known !== undefined) return known
    const pairs = new QuestionPairs(type)
    this.pairs[question] = pairs
    return pairs
  }
}

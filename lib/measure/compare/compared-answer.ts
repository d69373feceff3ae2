import type { Answer } from '../../codec/answer'
import { maxLabels } from '../../codec/question'
import type { Label } from '../../runs/record/decode'
import { decisionByLabel, decisionOf, distributionOf, isKnown, type KnownAnswer } from '../decision'

/** The type of an answer in a comparison. A refusal can replace an answer of any type. */
export type ComparedType = KnownAnswer['type'] | 'refusal'

/** The data of an answer that a comparison uses. */
export interface ComparedAnswer {
  /** The id of the question. */
  readonly question: string
  readonly type: ComparedType
  /** The label that the answer decides for; `undefined` for a score without probabilities. */
  readonly decision: string | undefined
  /** The label that a person gave; `undefined` if there is none. */
  readonly truth: string | undefined
  /** The labels that have probabilities; empty if the answer gives none. */
  readonly labels: ReadonlyArray<string>
  /** The probabilities of `labels`, in the same order. */
  readonly probabilities: ReadonlyArray<number>
}

/** The maximum number of labels of a question in both runs, which may have no label in common. A refusal counts as one more label. */
const maxLabelsOfBoth = 2 * maxLabels + 1

/** The decision of a refusal. A record cannot contain this text, so it differs from every label. */
const refusal = '\u0000refusal'

/** Returns the name of a decision for people. */
export const nameDecision = (decision: string): string =>
  decision === refusal ? 'refusal' : decision

/** The strings of one question. Each is stored once, although every record repeats them. */
interface QuestionStrings {
  readonly id: string
  /** Maps each label to the one string that is kept for all records. */
  readonly labels: Map<string, string>
  /** The labels of the last answer. */
  lastLabels: ReadonlyArray<string>
}

/** The digits of the levels of a score: 0 to 9. */
const levelPattern = /^\d$/

/** Reads the answers of both runs. Answers share strings and lists of labels, which saves most of the memory. */
export class AnswerReader {
  private readonly questions = new Map<string, QuestionStrings>()

  /** Returns the ids of all questions read, in the order of first appearance. */
  ids(): Iterable<string> {
    return this.questions.keys()
  }

  /**
   * Reads an answer and the label that a person gave. Returns a fault as a text if one of them is invalid, and `undefined` if
   * the type of the answer cannot be compared.
   */
  read(id: string, answer: Answer, label: Label | undefined): ComparedAnswer | string | undefined {
    if (answer.type === 'other') return undefined
    const strings = this.stringsOf(id)
    const question = strings.id
    if (!isKnown(answer)) {
      const truth = label === undefined ? undefined : internLabel(strings, nameLabel(label))
      return { question, type: 'refusal', decision: refusal, truth, labels: [], probabilities: [] }
    }
    const distribution = distributionOf(answer)
    const truth = label === undefined ? undefined : decisionByLabel(answer.type, label)
    if (label !== undefined && truth === undefined)
      return `labels.${id}: does not fit a ${answer.type} answer`
    if (answer.type === 'score') {
      const [invalidLevel] = distribution.find(([level]) => !levelPattern.test(level)) ?? []
      if (invalidLevel !== undefined)
        return `answers.${id}: lists "${invalidLevel}", which is not a level`
    }
    const labels = internLabelList(strings, distribution)
    if (strings.labels.size > maxLabelsOfBoth)
      return `answers.${id}: there are more than ${maxLabelsOfBoth} labels`
    const decision = decisionOf(answer)
    return {
      question,
      type: answer.type,
      decision: decision === undefined ? undefined : internLabel(strings, decision),
      truth: truth === undefined ? undefined : internLabel(strings, truth),
      labels,
      probabilities: distribution.map(([, p]) => p),
    }
  }

  private stringsOf(id: string): QuestionStrings {
    const storedStrings = this.questions.get(id)
    if (storedStrings !== undefined) return storedStrings
    const strings: QuestionStrings = { id, labels: new Map(), lastLabels: [] }
    this.questions.set(id, strings)
    return strings
  }
}

/** Returns the stored string that equals a label. Stores the label if it is new. */
const internLabel = ({ labels }: QuestionStrings, label: string): string => {
  const storedLabel = labels.get(label)
  if (storedLabel !== undefined) return storedLabel
  labels.set(label, label)
  return label
}

/** Returns the labels of a distribution. If the last answer had the same labels in the same order, returns the same list. */
const internLabelList = (
  strings: QuestionStrings,
  distribution: ReturnType<typeof distributionOf>,
): ReadonlyArray<string> => {
  const { lastLabels } = strings
  const isEqual =
    distribution.length === lastLabels.length &&
    distribution.every(([name], i) => name === lastLabels[i])
  if (!isEqual) strings.lastLabels = distribution.map(([name]) => internLabel(strings, name))
  return strings.lastLabels
}

/** Returns the decision that a label names. It does not need the type of the question, which a refusal does not have. */
const nameLabel = (label: Label): string => {
  if (typeof label === 'boolean') return label ? 'yes' : 'no'
  return String(label)
}

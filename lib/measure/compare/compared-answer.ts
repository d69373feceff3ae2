import * as E from 'fp-ts/Either'
import type { Answer } from '../../codec/answer'
import type { Probabilities } from '../../codec/probabilities'
import { isLevelIndex, maxLabels } from '../../codec/question'
import type { Label } from '../../runs/record/decode'
import {
  decisionByLabel,
  decisionOf,
  distributionOf,
  isKnown,
  type KnownAnswer,
  nameLabel,
} from '../decision'

/** The type of an answer in a comparison. A refusal can replace an answer of any type. */
export type ComparedType = KnownAnswer['type'] | 'refusal'

/** The data of an answer that a comparison uses. */
export interface ComparedAnswer {
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

/** Returns the probability of a label; 0 if the answer does not list the label. */
export const probabilityIn = ({ labels, probabilities }: ComparedAnswer, label: string): number =>
  // For a label that is not listed, the index is −1, at which there is no probability.
  probabilities[labels.indexOf(label)] ?? 0

/** The maximum number of labels of a question in both runs, which may have no label in common. A refusal counts as one more label. */
const maxLabelsOfBoth = 2 * maxLabels + 1

/** The decision of a refusal. A record cannot contain this text, so it differs from every label. */
const refusal = '\u0000refusal'

/** Returns the name of a decision for people. */
export const nameDecision = (decision: string): string =>
  decision === refusal ? 'refusal' : decision

/** The texts of one question. Each is stored once, although every record repeats it. */
interface QuestionTexts {
  readonly id: string
  /** Maps each label to the one string that is kept for all records. */
  readonly labels: Map<string, string>
  /** The labels of the last answer. */
  lastLabels: ReadonlyArray<string>
}

/** Reads the answers of both runs. Answers share strings and lists of labels, which saves most of the memory. */
export class AnswerReader {
  private readonly questions = new Map<string, QuestionTexts>()

  /** Returns the ids of all questions read, in the order of first appearance. */
  ids(): Iterable<string> {
    return this.questions.keys()
  }

  /**
   * Reads an answer, and the label that a person gave. Returns `undefined` for an answer of a type that cannot be compared. Fails
   * with a text if the answer or the label is invalid.
   */
  read(
    id: string,
    answer: Answer,
    label: Label | undefined,
  ): E.Either<string, ComparedAnswer | undefined> {
    if (answer.type === 'other') return E.right(undefined)
    const texts = this.textsOf(id)
    if (!isKnown(answer))
      return E.right({
        question: texts.id,
        type: 'refusal',
        decision: refusal,
        truth: label === undefined ? undefined : internLabel(texts, nameLabel(label)),
        labels: [],
        probabilities: [],
      })
    const distribution = distributionOf(answer)
    const decision = decisionOf(answer)
    const truth = label === undefined ? undefined : decisionByLabel(answer.type, label)
    if (label !== undefined && truth === undefined)
      return E.left(`labels.${id}: does not fit a ${answer.type} answer`)
    const invalidLevel =
      answer.type === 'score' ? distribution.find(([level]) => !isLevelIndex(level)) : undefined
    if (invalidLevel !== undefined)
      return E.left(`answers.${id}: lists "${invalidLevel[0]}", which is not a level`)
    const labels = internLabels(texts, distribution)
    if (texts.labels.size > maxLabelsOfBoth)
      return E.left(`answers.${id}: there are more than ${maxLabelsOfBoth} labels`)
    return E.right({
      question: texts.id,
      type: answer.type,
      decision: decision === undefined ? undefined : internLabel(texts, decision),
      truth: truth === undefined ? undefined : internLabel(texts, truth),
      labels,
      probabilities: distribution.map(([, probability]) => probability),
    })
  }

  private textsOf(id: string): QuestionTexts {
    const texts = this.questions.get(id) ?? { id, labels: new Map(), lastLabels: [] }
    this.questions.set(texts.id, texts)
    return texts
  }
}

/** Returns the stored string that equals a label. Stores the label if it is new. */
const internLabel = ({ labels }: QuestionTexts, label: string): string => {
  const storedLabel = labels.get(label) ?? label
  labels.set(storedLabel, storedLabel)
  return storedLabel
}

/** Returns the labels of a distribution. If the last answer had the same labels in the same order, returns the same list. */
const internLabels = (texts: QuestionTexts, distribution: Probabilities): ReadonlyArray<string> => {
  const { lastLabels } = texts
  const isEqual =
    distribution.length === lastLabels.length &&
    distribution.every(([label], i) => label === lastLabels[i])
  if (!isEqual) texts.lastLabels = distribution.map(([label]) => internLabel(texts, label))
  return texts.lastLabels
}

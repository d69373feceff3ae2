import type { Answer } from '../../codec/answer'
import { stringIn } from '../../codec/json/json'
import { maxLabels } from '../../codec/question-limits'
import type { Label, RunRecord } from '../../runs/record/decode'
import { decisionByLabel, decisionOf, distributionOf, isKnown } from '../decision'
import { idOf, Names } from '../record-names'
import { type HeldAnswer, HeldShapes } from './held-run'

/** Numbers the questions and labels of both runs. */
export class Vocabulary {
  readonly questions = new Names()
  readonly shapes = new HeldShapes()
  private readonly labels: Names[] = []

  /** The labels of the question with this number. */
  labelsOf(question: number): Names {
    const known = this.labels[question]
    if (known !== undefined) return known
    const names = new Names()
    this.labels[question] = names
    return names
  }
}

/** The maximum number of labels of one question in both runs. Two wordings may share none. Refusals count as one. */
const maxOfBoth = 2 * maxLabels + 1

/** The decision of a refusal. No label of a person can be this, since it is no text that a record can hold. */
const refusal = '\u0000refusal'

/** Writes a decision for people. */
export const nameDecision = (name: string): string => (name === refusal ? 'refusal' : name)

/**
 * Reads an answer as numbers. Returns `undefined` for an answer of a type that is not compared, and the fault of the
 * answer or its label as a text.
 */
export const readAnswer = (
  id: string,
  answer: Answer,
  label: Label | undefined,
  words: Vocabulary,
): HeldAnswer | string | undefined => {
  if (answer.type === 'other') return undefined
  const question = words.questions.placeOf(id)
  const names = words.labelsOf(question)
  const placeOf = (name: string | undefined) => (name === undefined ? -1 : names.placeOf(name))
  if (!isKnown(answer))
    return {
      shape: words.shapes.of(question, 'refusal', []),
      decided: placeOf(refusal),
      truth: placeOf(label === undefined ? undefined : nameLabel(label)),
      probabilities: [],
    }
  const distribution = distributionOf(answer)
  const labels = distribution.map(([name]) => placeOf(name))
  const truth = label === undefined ? undefined : decisionByLabel(answer.type, label)
  if (label !== undefined && truth === undefined)
    return `labels.${id}: does not fit a ${answer.type} answer`
  const noLevel = distribution.find(([name]) => answer.type === 'score' && !/^\d$/.test(name))
  if (noLevel !== undefined) return `answers.${id}: lists "${noLevel[0]}", which is no level`
  if (names.list.length > maxOfBoth) return `answers.${id}: there are more than ${maxOfBoth} labels`
  return {
    shape: words.shapes.of(question, answer.type, labels),
    decided: placeOf(decisionOf(answer)),
    truth: placeOf(truth),
    probabilities: distribution.map(([, p]) => p),
  }
}

/** The decision that a label calls right, if the type of the question is not known. */
const nameLabel = (label: Label): string =>
  typeof label === 'boolean' ? (label ? 'yes' : 'no') : String(label)

/**
 * The key by which a record pairs: both its digests, or its id. Numbers and strings are different ids even if their
 * text is equal.
 */
export const keyOf = (record: RunRecord, byId: boolean): string | undefined => {
  if (byId) {
    const id = idOf(record)
    return id === undefined ? undefined : `${typeof record.id === 'string' ? '"' : ''}${id}`
  }
  const state = stringIn(record.stateSha256)
  const questions = stringIn(record.questionsSha256)
  return state === undefined || questions === undefined ? undefined : `${state}${questions}`
}

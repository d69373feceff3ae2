/** Asks choice questions in several orders of their labels (`--permute`), because models prefer some positions in a list. */
import * as E from 'fp-ts/Either'
import type { Answer, Answers, ReceivedAnswer } from '../../codec/answer'
import { type Draft, toObject } from '../../codec/json/draft'
import { computeChoiceConfidence } from '../../codec/probabilities'
import type { Choice, RequestQuestion } from '../../codec/question'
import type { AskResponse } from '../../codec/response'
import { type Failure, usage } from '../../failure/failure'
import { createRandom, rotateList, shuffleNumbers } from '../../runtime/random'

type ChoiceAnswer = Extract<Answer, { readonly type: 'choice' }>
type Questions = ReadonlyArray<readonly [id: string, question: RequestQuestion]>

/** Questions whose choices are asked in several orders of their labels. */
export interface PermutedQuestions {
  /** The questions to send, with an extra question for each further order. */
  readonly questions: Questions
  /** Replaces the answers to all orders of a question by one answer, their mean. */
  readonly combineAnswers: (response: AskResponse) => AskResponse
  /** Returns `true` if answers of an earlier run were combined from the same number of orders. */
  readonly hasSameOrders: (answers: Answers) => boolean
}

/** The maximum number of questions that one request may have after permuting: 6! = 720, all orders of six labels. */
const maxQuestions = 720

/**
 * Asks every choice question in up to `maxOrders` orders of its labels. Without `maxOrders` the questions stay as they are. Fails
 * with a usage error if that makes too many questions.
 */
export const permuteChoices = (
  questions: Questions,
  maxOrders: number | undefined,
): E.Either<Failure, PermutedQuestions> => {
  const hasSameOrders = (answers: Answers): boolean =>
    questions.every(([id, question]) => hasExpectedOrders(question, maxOrders, answers.get(id)))
  if (maxOrders === undefined)
    return E.right({ questions, combineAnswers: (response) => response, hasSameOrders })
  let questionCount = 0
  for (const [, question] of questions) questionCount += countOrders(question, maxOrders)
  if (questionCount > maxQuestions) {
    const message = `--permute ${maxOrders} makes ${questionCount} questions of one request: at most ${maxQuestions}`
    return E.left(usage(message))
  }
  const { extraQuestions, choices } = createExtraQuestions(questions, maxOrders)
  const extraIds = new Set(extraQuestions.map(([id]) => id))
  return E.right({
    questions: [...questions, ...extraQuestions],
    combineAnswers: (response) => combineAnswers(response, choices, extraIds),
    hasSameOrders,
  })
}

/**
 * Returns `true` if the answer was combined from as many orders as `maxOrders` allows for the question. A missing answer also gives
 * `true`, and so do answers that svc never combines: those to other types of questions, and those without probabilities.
 */
const hasExpectedOrders = (
  question: RequestQuestion,
  maxOrders: number | undefined,
  answer: Answer | undefined,
): boolean => {
  if (answer?.type !== 'choice' || answer.probabilities.length === 0) return true
  const expectedOrderCount = maxOrders === undefined ? undefined : countOrders(question, maxOrders)
  return answer.orders?.n === expectedOrderCount
}

/** A choice question that is asked in several orders. */
interface PermutedChoice {
  readonly labels: ReadonlyArray<string>
  /** The ids of the questions that ask it, one for each order. The first is the id of the original question. */
  readonly ids: ReadonlyArray<string>
}

/** Creates the extra questions for all orders but the first, and lists the choice questions by id. */
const createExtraQuestions = (questions: Questions, maxOrders: number) => {
  const usedIds = new Set(questions.map(([id]) => id))
  const extraQuestions: Array<Questions[number]> = []
  const choices = new Map<string, PermutedChoice>()
  for (const [id, question] of questions) {
    if (question.type !== 'choice') continue
    const labels = question.criteria ?? []
    const ids = [id]
    const [, ...furtherOrders] = listOrders(labels, countOrders(question, maxOrders))
    for (const criteria of furtherOrders) {
      const extraId = createUnusedId(`${id}#${ids.length + 1}`, usedIds)
      extraQuestions.push([extraId, { ...question, criteria }])
      ids.push(extraId)
    }
    choices.set(id, { labels: labels.map(([label]) => label), ids })
  }
  return { extraQuestions, choices }
}

const createUnusedId = (id: string, usedIds: Set<string>): string => {
  let unused = id
  while (usedIds.has(unused)) unused += '#'
  usedIds.add(unused)
  return unused
}

/**
 * Counts the orders in which a question is asked: 1 if it is not a choice. No order is asked twice, so three labels have at most
 * 3! = 6 orders.
 */
const countOrders = (question: RequestQuestion, maxOrders: number): number => {
  if (question.type !== 'choice') return 1
  const labelCount = (question.criteria ?? []).length
  // Computes the factorial of `labelCount`, but stops as soon as there are enough orders.
  let possibleOrderCount = 1
  for (let n = 2; n <= labelCount && possibleOrderCount < maxOrders; n++) possibleOrderCount *= n
  return Math.min(maxOrders, possibleOrderCount)
}

type Criteria = NonNullable<Choice['criteria']>

/** Lists different orders of labels: first the given order, then its rotations, then shuffles. */
const listOrders = (labels: Criteria, count: number): ReadonlyArray<Criteria> => {
  const ordersByKey = new Map<string, Criteria>()
  const addOrder = (labelIndexes: ReadonlyArray<number>): void => {
    const order = labelIndexes.map((index) => labels[index] as Criteria[number])
    // A shuffle that repeats an earlier order has its key, and replaces it.
    ordersByKey.set(labelIndexes.join(), order)
  }
  const indexes = labels.map((_, index) => index)
  const rotationCount = Math.min(count, labels.length)
  for (let shift = 0; shift < rotationCount; shift++) addOrder(rotateList(indexes, shift))
  // The fixed seed makes the shuffles equal in every run.
  const random = createRandom(0)
  while (ordersByKey.size < count) addOrder([...shuffleNumbers(labels.length, random)])
  return [...ordersByKey.values()]
}

const combineAnswers = (
  response: AskResponse,
  choices: ReadonlyMap<string, PermutedChoice>,
  extraIds: ReadonlySet<string>,
): AskResponse => {
  const answers = new Map<string, ReceivedAnswer>()
  for (const [id, received] of response.answers) {
    if (extraIds.has(id)) continue
    const choice = choices.get(id)
    answers.set(id, (choice && averageAnswers(choice, response)) ?? received)
  }
  return { ...response, answers }
}

/** Returns the mean answer over all orders; `undefined` if the answer to an order lacks probabilities. */
const averageAnswers = (
  { labels, ids }: PermutedChoice,
  { answers }: AskResponse,
): ReceivedAnswer | undefined => {
  const received = ids.map((id) => answers.get(id)).filter(isChoice)
  if (received.length < ids.length) return undefined
  const labelProbabilities = listProbabilities(labels, received)
  if (labelProbabilities === undefined) return undefined
  const means = labelProbabilities.map((probabilities) => sum(probabilities) / received.length)
  const roundedMeans = means.map(roundOff)
  // There is a mean for each label, and at least one label, so `''` and 0 below are never used.
  // Of several labels with the same rounded mean, the first is chosen.
  const choice = labels[roundedMeans.indexOf(Math.max(...roundedMeans))] ?? ''
  // Computed from the unrounded means, so that only the result is rounded.
  const confidence = roundOff(computeChoiceConfidence(Math.max(...means), labels.length))
  const probabilities = labels.map((label, index) => [label, roundedMeans[index] ?? 0] as const)
  const orders = measureOrders(received, labelProbabilities, choice)
  const type = 'choice'
  const table = new Map<string, Draft>(probabilities)
  const json = toObject({ type, choice, confidence, probabilities: table, orders })
  return { type, choice, confidence, probabilities, orders, json }
}

/**
 * Measures how much the answers depend on the order of the labels. `n` is the number of answers. `spread` is the largest difference
 * between two probabilities of the same label. `flips` is the number of answers that chose another label than `choice`.
 * `labelProbabilities` has the probabilities of each label in all answers.
 */
const measureOrders = (
  answers: ReadonlyArray<ChoiceAnswer>,
  labelProbabilities: ReadonlyArray<ReadonlyArray<number>>,
  choice: string,
) => {
  const spreads = labelProbabilities.map(
    (probabilities) => Math.max(...probabilities) - Math.min(...probabilities),
  )
  return {
    n: answers.length,
    spread: roundOff(Math.max(...spreads)),
    flips: answers.filter((answer) => answer.choice !== choice).length,
  }
}

/** Lists the probabilities of each label in all answers; `undefined` if an answer lacks one. */
const listProbabilities = (
  labels: ReadonlyArray<string>,
  answers: ReadonlyArray<ChoiceAnswer>,
): ReadonlyArray<ReadonlyArray<number>> | undefined => {
  const tables = answers.map(({ probabilities }) => new Map(probabilities))
  const lists: number[][] = []
  for (const label of labels) {
    const list: number[] = []
    for (const table of tables) {
      const probability = table.get(label)
      if (probability === undefined) return undefined
      list.push(probability)
    }
    lists.push(list)
  }
  return lists
}

const isChoice = (answer: ReceivedAnswer | undefined): answer is ReceivedAnswer & ChoiceAnswer =>
  answer?.type === 'choice'

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((a, b) => a + b, 0)

/** Rounds to ten decimals, which removes the errors of binary fractions: 0.1 + 0.2 becomes 0.3. */
const roundOff = (x: number): number => Math.round(x * 1e10) / 1e10

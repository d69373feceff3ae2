import * as E from 'fp-ts/Either'
import type { Answer, Answers, ReceivedAnswer } from '../../codec/answer'
import { type Draft, toObject } from '../../codec/json/draft'
import { choiceConfidence } from '../../codec/probabilities'
import type { Choice, RequestQuestion } from '../../codec/question'
import type { AskResponse } from '../../codec/response'
import { type Failure, usage } from '../../failure/failure'
import { createRandom, rotateList, shuffleNumbers } from '../../runtime/random'

type ChoiceAnswer = Extract<Answer, { readonly type: 'choice' }>
type Questions = ReadonlyArray<readonly [id: string, question: RequestQuestion]>

/** Questions whose choices are asked in several orders of their labels. */
export interface Permuted {
  /** The questions to send, with an extra question for each further order. */
  readonly questions: Questions
  /** Combines the answers to all orders of a question into one answer to it. */
  readonly fold: (response: AskResponse) => AskResponse
  /** Returns `true` if answers of an earlier run were combined from the same number of orders. */
  readonly hasSameOrders: (answers: Answers) => boolean
}

/** The maximum number of questions that one request may have after permuting. */
const maxQuestions = 720

/**
 * Asks every choice question in up to `n` orders of its labels. Without `n` the questions stay as they are. Fails with a
 * usage error if that makes too many questions.
 */
export const permute = (
  questions: Questions,
  n: number | undefined,
): E.Either<Failure, Permuted> => {
  const hasSameOrders = (answers: Answers): boolean =>
    questions.every(([id, question]) => {
      const answer = answers.get(id)
      if (answer?.type !== 'choice' || answer.probabilities.length === 0) return true
      return answer.orders?.n === (n === undefined ? undefined : countOrders(question, n))
    })
  if (n === undefined) return E.right({ questions, fold: (response) => response, hasSameOrders })
  const total = questions.reduce((sum, [, question]) => sum + countOrders(question, n), 0)
  if (total > maxQuestions)
    return E.left(
      usage(`--permute ${n} makes ${total} questions of one request: at most ${maxQuestions}`),
    )
  const { extra, orders } = addOrders(questions, n)
  const extraIds = new Set(extra.map(([id]) => id))
  return E.right({
    questions: [...questions, ...extra],
    fold: (response) => foldAnswers(response, orders, extraIds),
    hasSameOrders,
  })
}

/** A choice question that is asked in several orders. */
interface PermutedChoice {
  readonly labels: ReadonlyArray<string>
  /** The ids of the questions that ask it, each in another order. The first is the id of the original question. */
  readonly ids: ReadonlyArray<string>
}

/** Creates the extra questions, and lists the orders of each choice question by its id. */
const addOrders = (questions: Questions, n: number) => {
  const usedIds = new Set(questions.map(([id]) => id))
  const extra: Array<Questions[number]> = []
  const orders = new Map<string, PermutedChoice>()
  for (const [id, question] of questions) {
    if (question.type !== 'choice') continue
    const labels = question.criteria ?? []
    const ids = [id]
    for (const criteria of listOrders(labels, countOrders(question, n)).slice(1)) {
      const extraId = createFreeId(`${id}#${ids.length + 1}`, usedIds)
      extra.push([extraId, { ...question, criteria }])
      ids.push(extraId)
    }
    orders.set(id, { labels: labels.map(([label]) => label), ids })
  }
  return { extra, orders }
}

const createFreeId = (id: string, usedIds: Set<string>): string => {
  let free = id
  while (usedIds.has(free)) free += '#'
  usedIds.add(free)
  return free
}

/** Counts the orders in which a question is asked: `n`, but at most K! for K labels, because no order is asked twice. */
const countOrders = (question: RequestQuestion, n: number): number => {
  if (question.type !== 'choice') return 1
  let possible = 1
  for (let k = 2; k <= (question.criteria ?? []).length && possible < n; k++) possible *= k
  return Math.min(n, possible)
}

type Criteria = NonNullable<Choice['criteria']>

/** Lists orders of labels: first the given order, then its rotations, then shuffles that are equal in every run. */
const listOrders = (labels: Criteria, count: number): ReadonlyArray<Criteria> => {
  const orders = new Map<string, Criteria>()
  const add = (indexes: ReadonlyArray<number>): void => {
    orders.set(
      indexes.join(),
      indexes.map((index) => labels[index] as Criteria[number]),
    )
  }
  const indexes = labels.map((_, index) => index)
  for (let by = 0; by < Math.min(count, labels.length); by++) add(rotateList(indexes, by))
  const random = createRandom(0)
  while (orders.size < count) add([...shuffleNumbers(labels.length, random)])
  return [...orders.values()]
}

/** Replaces the answers to permuted questions by their means, and removes the answers to extra questions. */
const foldAnswers = (
  response: AskResponse,
  orders: ReadonlyMap<string, PermutedChoice>,
  extraIds: ReadonlySet<string>,
): AskResponse => {
  const answers = new Map<string, ReceivedAnswer>()
  for (const [id, received] of response.answers) {
    if (extraIds.has(id)) continue
    const permuted = orders.get(id)
    answers.set(id, (permuted && averageAnswers(permuted, response)) ?? received)
  }
  return { ...response, answers }
}

/** Returns the mean answer over all orders; `undefined` if the answer to an order lacks probabilities. */
const averageAnswers = (
  { labels, ids }: PermutedChoice,
  { answers }: AskResponse,
): ReceivedAnswer | undefined => {
  const received = ids.map((id) => answers.get(id)).filter(isChoice)
  const tables = received.map(({ probabilities }) => new Map(probabilities))
  const isComplete = tables.every((table) => labels.every((label) => table.has(label)))
  if (received.length < ids.length || !isComplete) return undefined
  const columns = labels.map((label) => tables.map((table) => table.get(label) ?? 0))
  const means = columns.map((column) => sum(column) / received.length)
  const probabilities = labels.map((label, index) => [label, roundOff(means[index] ?? 0)] as const)
  const top = Math.max(...probabilities.map(([, p]) => p))
  const choice = probabilities.find(([, p]) => p === top)?.[0] ?? ''
  const confidence = roundOff(choiceConfidence(Math.max(...means), labels.length))
  const spreads = columns.map((column) => Math.max(...column) - Math.min(...column))
  const orders = {
    n: received.length,
    spread: roundOff(Math.max(...spreads)),
    flips: received.filter((answer) => answer.choice !== choice).length,
  }
  const type = 'choice'
  const table = new Map<string, Draft>(probabilities)
  const json = toObject({ type, choice, confidence, probabilities: table, orders })
  return { type, choice, confidence, probabilities, orders, json }
}

const isChoice = (answer: ReceivedAnswer | undefined): answer is ReceivedAnswer & ChoiceAnswer =>
  answer?.type === 'choice'

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((a, b) => a + b, 0)

/** Removes rounding errors of binary fractions. */
const roundOff = (x: number): number => Math.round(x * 1e10) / 1e10

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

/** Questions that ask choices in several orders of their options, and how to combine the answers. */
export interface Permuted {
  /** The questions to send, with an extra one for each further order. */
  readonly questions: Questions
  readonly fold: (response: AskResponse) => AskResponse
  /** Whether answers of an earlier run come from as many orders. */
  readonly isAskedAlike: (answers: Answers) => boolean
}

/** The most questions of one permuted request. */
const mostQuestions = 720

/**
 * Asks every choice question in up to `n` orders of its options. Without `n` the questions stay as they are.
 * Fails with a usage error where that makes too many questions.
 */
export const permute = (
  questions: Questions,
  n: number | undefined,
): E.Either<Failure, Permuted> => {
  const isAskedAlike = (answers: Answers): boolean =>
    questions.every(([id, question]) => {
      const answer = answers.get(id)
      const hasOrders = answer?.type === 'choice' && answer.probabilities.length > 0
      const expected = n === undefined ? undefined : countOrders(question, n)
      return !hasOrders || answer.orders?.n === expected
    })
  if (n === undefined) return E.right({ questions, fold: (response) => response, isAskedAlike })
  const total = questions.reduce((sum, [, question]) => sum + countOrders(question, n), 0)
  if (total > mostQuestions)
    return E.left(
      usage(`--permute ${n} makes ${total} questions of one request: at most ${mostQuestions}`),
    )
  const taken = new Set(questions.map(([id]) => id))
  const extra: Array<readonly [id: string, question: RequestQuestion]> = []
  const orders = new Map<string, Reordered>()
  for (const [id, question] of questions) {
    if (question.type !== 'choice') continue
    const labels = question.criteria ?? []
    const ids = ordersOf(labels, countOrders(question, n)).map((criteria, order) => {
      if (order === 0) return id
      const own = findFreeId(`${id}#${order + 1}`, taken)
      extra.push([own, { ...question, criteria }])
      return own
    })
    orders.set(id, { labels: labels.map(([label]) => label), ids })
  }
  const extraIds = new Set(extra.map(([id]) => id))
  return E.right({
    questions: [...questions, ...extra],
    fold: (response) => foldAnswers(response, orders, extraIds),
    isAskedAlike,
  })
}

/** A question that is asked in several orders. */
interface Reordered {
  readonly labels: ReadonlyArray<string>
  /** The ids of its orders; the question's own id is the first. */
  readonly ids: ReadonlyArray<string>
}

const findFreeId = (id: string, taken: Set<string>): string => {
  let free = id
  while (taken.has(free)) free += '#'
  taken.add(free)
  return free
}

/** In how many orders a question is asked. No order is asked twice, so K labels have at most K! orders. */
const countOrders = (question: RequestQuestion, n: number): number => {
  if (question.type !== 'choice') return 1
  let possible = 1
  for (let k = 2; k <= (question.criteria ?? []).length && possible < n; k++) possible *= k
  return Math.min(n, possible)
}

type Criteria = NonNullable<Choice['criteria']>

/**
 * The orders of a question's options: its own order, its rotations, then random shuffles, which are the same in
 * every run.
 */
const ordersOf = (labels: Criteria, count: number): ReadonlyArray<Criteria> => {
  const orders = new Map<string, Criteria>()
  const add = (order: ReadonlyArray<number>): void => {
    orders.set(
      order.join(),
      order.map((at) => labels[at] as Criteria[number]),
    )
  }
  const own = labels.map((_, index) => index)
  for (let by = 0; by < Math.min(count, labels.length); by++) add(rotateList(own, by))
  const random = createRandom(0)
  while (orders.size < count) add([...shuffleNumbers(labels.length, random)])
  return [...orders.values()]
}

/** Replaces the answers to permuted questions by their means, and removes those to the extra questions. */
const foldAnswers = (
  response: AskResponse,
  orders: ReadonlyMap<string, Reordered>,
  extra: ReadonlySet<string>,
): AskResponse => {
  const answers = new Map<string, ReceivedAnswer>()
  for (const [id, received] of response.answers) {
    const reordered = orders.get(id)
    if (!extra.has(id))
      answers.set(id, (reordered && averageAnswers(reordered, response)) ?? received)
  }
  return { ...response, answers }
}

/** The mean answer over all orders; `undefined` where the answer to one of them lacks probabilities. */
const averageAnswers = (
  { labels, ids }: Reordered,
  response: AskResponse,
): ReceivedAnswer | undefined => {
  const { answers } = response
  const all = ids.flatMap((id): ReadonlyArray<ChoiceAnswer> => {
    const answer = answers.get(id)
    return answer?.type === 'choice' ? [answer] : []
  })
  const tables = all.map(({ probabilities }) => new Map(probabilities))
  const whole =
    all.length === ids.length && tables.every((table) => labels.every((l) => table.has(l)))
  if (!whole) return undefined
  const columns = labels.map((label) => tables.map((table) => table.get(label) ?? 0))
  const means = columns.map((column) => sum(column) / all.length)
  const probabilities = labels.map((label, index) => [label, tidy(means[index] ?? 0)] as const)
  const top = Math.max(...probabilities.map(([, p]) => p))
  const choice = probabilities.find(([, p]) => p === top)?.[0] ?? ''
  const confidence = tidy(choiceConfidence(Math.max(...means), labels.length))
  const spread = tidy(
    Math.max(...columns.map((column) => Math.max(...column) - Math.min(...column))),
  )
  const flips = all.filter((answer) => answer.choice !== choice).length
  const orders = { n: all.length, spread, flips }
  const type = 'choice'
  const table = new Map<string, Draft>(probabilities)
  const json = toObject({ type, choice, confidence, probabilities: table, orders })
  return { type, choice, confidence, probabilities, orders, json }
}

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((a, b) => a + b, 0)

/** Removes rounding errors of binary fractions. */
const tidy = (x: number): number => Math.round(x * 1e10) / 1e10

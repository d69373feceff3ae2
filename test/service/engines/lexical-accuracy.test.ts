import * as assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import type { EngineQuestion } from '../../../lib/service/contract/engine'
import { root } from '../../support/folders'
import { answerLexically } from './answer-lexically'

const test = suite('accuracy of the lexical engine')

const questionTypes = ['noul', 'choice', 'score'] as const
type QuestionType = (typeof questionTypes)[number]

/** Totals over labelled rows. A row with several likeliest options has no opinion. */
interface Accuracy {
  readonly rows: number
  readonly opinions: number
  readonly right: number
  /** The sum of the probabilities of the chosen options. */
  readonly claimed: number
}

/** A question in a questions.json. Its criteria depend on its type. */
interface RowQuestion {
  readonly instructions: string
  readonly criteria?: never
}

/** Creates the engine's question, and lists its answers in the order of its probabilities. */
const createRowQuestion = (type: QuestionType, { instructions, criteria }: RowQuestion) => {
  const labels: ReadonlyArray<unknown> =
    type === 'noul' ? [false, true] : type === 'choice' ? Object.keys(criteria ?? {}) : []
  const engineCriteria = type === 'choice' ? Object.entries(criteria ?? {}) : criteria
  const question = { type, instructions, criteria: engineCriteria } as EngineQuestion
  return { question, labels }
}

/** Measures the engine on the labelled rows of a question type. test/accuracy has commands with the same results. */
const measureAccuracy = (type: QuestionType): Accuracy => {
  const folder = join(root, 'test/accuracy/datasets', type)
  let [rows, opinions, right, claimed] = [0, 0, 0, 0]
  for (const set of readdirSync(folder)) {
    const readLines = (name: string) => readFileSync(join(folder, set, name), 'utf8').trim()
    const { question, labels } = createRowQuestion(
      type,
      JSON.parse(readLines('questions.json')).questions[type],
    )
    for (const line of readLines('rows.jsonl').split('\n')) {
      const { text, label } = JSON.parse(line)
      // The label of a score is the index of its level.
      const labelIndex = type === 'score' ? label : labels.indexOf(label)
      const probabilities = answerLexically(text, question)
      assert.ok(labelIndex >= 0 && labelIndex < probabilities.length, `${set}: ${label}`)
      rows += 1
      const maxProbability = Math.max(...probabilities)
      const likeliest = probabilities.filter((p) => p > maxProbability - 1e-9)
      if (likeliest.length > 1) continue
      opinions += 1
      claimed += maxProbability
      if (probabilities[labelIndex] === maxProbability) right += 1
    }
  }
  return { rows, opinions, right, claimed }
}

const accuracyByType = questionTypes.map(measureAccuracy)
const sumAccuracies = (key: keyof Accuracy): number =>
  accuracyByType.reduce((sum, accuracy) => sum + accuracy[key], 0)
const total: Accuracy = {
  rows: sumAccuracies('rows'),
  opinions: sumAccuracies('opinions'),
  right: sumAccuracies('right'),
  claimed: sumAccuracies('claimed'),
}

test('is right on at least a quarter of 1,976 labelled rows', () => {
  assert.equal(total.rows, 1976)
  assert.ok(total.right / total.rows >= 0.25, `right on ${total.right} rows`)
})

for (const [title, accuracy, tolerance] of [
  ...questionTypes.map((type, i) => [type, accuracyByType[i], 0.12] as const),
  ['all types', total, 0.07] as const,
])
  test(`claims probabilities within ${tolerance} of its share of right answers: ${title}`, () => {
    const { claimed, right, opinions } = accuracy ?? total
    const difference = (claimed - right) / opinions
    assert.ok(Math.abs(difference) <= tolerance, String(difference))
  })

test.run()

import * as assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import type { EngineQuestion } from '../../../lib/service/contract/engine'
import { root } from '../../support/folders'
import { answerLexically } from './answer-lexically'

const test = suite('accuracy of the lexical engine')

/** A `noul` is a yes/no question. */
const questionTypes = ['noul', 'choice', 'score'] as const
type QuestionType = (typeof questionTypes)[number]

/** The accuracy on labelled rows. A row is a text with the right answer, its label. */
interface Accuracy {
  readonly rows: number
  /** The number of rows with a single likeliest option. The engine has no opinion about the others. */
  readonly opinions: number
  /** The number of opinions that are the row's label. */
  readonly rightOpinions: number
  /** The sum of the probabilities of the likeliest options. A calibrated engine is right as often as this number says. */
  readonly claimedRight: number
}

/** A question in a questions.json. The form of its criteria depends on its type. The criteria of a choice are an object. */
interface RowQuestion {
  readonly instructions: string
  readonly criteria?: object
}

const createEngineQuestion = (
  type: QuestionType,
  { instructions, criteria }: RowQuestion,
): EngineQuestion => {
  const engineCriteria = type === 'choice' ? Object.entries(criteria ?? {}) : criteria
  // The criteria in the files fit the type.
  return { type, instructions, criteria: engineCriteria } as EngineQuestion
}

/** Lists the labels that a row can have, in the order of the engine's probabilities. */
const listLabels = (question: EngineQuestion): ReadonlyArray<unknown> => {
  switch (question.type) {
    case 'noul':
      return [false, true]
    case 'choice':
      return question.criteria.map(([label]) => label)
    case 'score':
      // The label of a score is the index of its level.
      return [...question.criteria.keys()]
  }
}

/** Measures the engine on the labelled rows of a question type. test/accuracy has commands with the same results. */
const measureAccuracy = (type: QuestionType): Accuracy => {
  const folder = join(root, 'test/accuracy/datasets', type)
  let rows = 0
  let opinions = 0
  let rightOpinions = 0
  let claimedRight = 0
  for (const set of readdirSync(folder)) {
    const readText = (name: string) => readFileSync(join(folder, set, name), 'utf8').trim()
    const rowQuestion = JSON.parse(readText('questions.json')).questions[type]
    const question = createEngineQuestion(type, rowQuestion)
    const labels = listLabels(question)
    for (const line of readText('rows.jsonl').split('\n')) {
      const { text, label } = JSON.parse(line)
      const labelIndex = labels.indexOf(label)
      const probabilities = answerLexically(text, question)
      assert.ok(labelIndex >= 0 && labelIndex < probabilities.length, `${set}: ${label}`)
      rows += 1
      const maxProbability = Math.max(...probabilities)
      // Options that differ by a rounding error are equally likely.
      const likeliest = probabilities.filter((p) => p > maxProbability - 1e-9)
      if (likeliest.length > 1) continue
      opinions += 1
      claimedRight += maxProbability
      // Exactly one option is the likeliest, so the numbers can be compared for equality.
      if (probabilities[labelIndex] === maxProbability) rightOpinions += 1
    }
  }
  return { rows, opinions, rightOpinions, claimedRight }
}

const accuracyByType = questionTypes.map(measureAccuracy)
const sumAccuracies = (key: keyof Accuracy): number =>
  accuracyByType.reduce((sum, accuracy) => sum + accuracy[key], 0)
const total: Accuracy = {
  rows: sumAccuracies('rows'),
  opinions: sumAccuracies('opinions'),
  rightOpinions: sumAccuracies('rightOpinions'),
  claimedRight: sumAccuracies('claimedRight'),
}

test('is right on at least a quarter of 1,976 labelled rows', () => {
  assert.equal(total.rows, 1976)
  assert.ok(total.rightOpinions / total.rows >= 0.25, `right on ${total.rightOpinions} rows`)
})

/** Asserts that the mean probability of the opinions differs by at most `tolerance` from the fraction of right opinions. */
const assertCalibrated = (accuracy: Accuracy | undefined, tolerance: number): void => {
  assert.ok(accuracy)
  const difference = (accuracy.claimedRight - accuracy.rightOpinions) / accuracy.opinions
  assert.ok(Math.abs(difference) <= tolerance, String(difference))
}

for (const [i, type] of questionTypes.entries())
  test(`the mean probability is within 0.12 of the share of right answers: ${type}`, () => {
    assertCalibrated(accuracyByType[i], 0.12)
  })

test('the mean probability is within 0.07 of the share of right answers: all types', () => {
  assertCalibrated(total, 0.07)
})

test.run()

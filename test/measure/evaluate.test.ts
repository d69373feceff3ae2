import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encode } from '../../lib/codec/json/draft'
import type { Failure } from '../../lib/failure/failure'
import { messageOf } from '../../lib/failure/report'
import {
  checkGroupCount,
  encodeEvaluation,
  evaluateRun,
} from '../../lib/measure/evaluate/evaluation'
import { findUnmet, parseLimits } from '../../lib/measure/evaluate/figure-limits'
import { collectRun, createChoice, createNoul, createScore, type RecordFields } from './runs'
import { vectors } from './statistics/vectors'

const test = suite('measure/evaluate')

// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary members of the document
type Document = any

/** Evaluates a run, and returns the document of `svc eval`. */
const evaluate = (
  rows: ReadonlyArray<RecordFields>,
  { byGroup } = { byGroup: false },
): Document => {
  const evaluation = evaluateRun(collectRun(rows), { seed: 0, byGroup })
  return JSON.parse(encode(encodeEvaluation(evaluation)).toString())
}

/** Asserts that `actual` has all members of `expected`, with numbers equal to 1e-9. */
const assertIncludes = (actual: Document, expected: Document, path: string): void => {
  if (typeof expected === 'number') {
    assert.ok(Math.abs(actual - expected) <= 1e-9, `${path}: ${actual}, expected ${expected}`)
  } else if (typeof expected === 'object' && expected !== null) {
    for (const [name, value] of Object.entries(expected))
      assertIncludes(actual[name], value, `${path}.${name}`)
  } else assert.is(actual, expected, path)
}

for (const [i, { p: probabilities, y: labels, expected }] of vectors.noul.entries())
  test(`agrees with scikit-learn on yes/no question ${i}`, () => {
    const rows = probabilities.map((probability, row) => ({
      answers: { isBug: createNoul(probability) },
      labels: { isBug: labels[row] },
    }))
    const { isBug } = evaluate(rows).questions
    const { at_half: atHalf, ...figures } = expected
    assertIncludes(isBug, figures, 'isBug')
    // The sweep has the figures at the thresholds 0, 0.05, … 1, so index 10 is the threshold 0.5.
    assertIncludes(isBug.sweep[10], { at: 0.5, ...atHalf }, 'sweep')
  })

for (const [i, vector] of vectors.choice.entries()) {
  // JSON.parse moves names that look like numbers to the front, which would change the order of these labels.
  if (vector.labels.some((label) => /^\d+$/.test(label))) continue
  test(`agrees with scikit-learn on choice question ${i}`, () => {
    const { labels, probabilities, y, expected } = vector
    const rows = probabilities.map((rowProbabilities, row) => {
      const byLabel = rowProbabilities.map((probability, k) => [labels[k], probability] as const)
      return {
        answers: { team: createChoice(Object.fromEntries(byLabel)) },
        labels: { team: y[row] },
      }
    })
    const { team } = evaluate(rows).questions
    const { majority_accuracy: majorityAccuracy, ...figures } = expected
    const confusion = { confusion_matrix: { matrix: expected.confusion_matrix } }
    assertIncludes(team, { ...figures, ...confusion }, 'team')
    assertIncludes(team.baseline.accuracy, majorityAccuracy, 'baseline')
  })
}

for (const [i, { probabilities, y: levels, expected }] of vectors.score.entries())
  test(`agrees with scikit-learn on score question ${i}`, () => {
    const rows = probabilities.map((rowProbabilities, row) => ({
      answers: { urgency: createScore(...rowProbabilities) },
      labels: { urgency: levels[row] },
    }))
    const confusion = { confusion_matrix: { matrix: expected.confusion_matrix } }
    assertIncludes(evaluate(rows).questions.urgency, { ...expected, ...confusion }, 'urgency')
  })

/** Creates labelled rows with P(yes) from 0 to 0.9. Some of the answers are wrong. */
const createRows = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    answers: { isBug: createNoul((i % 10) / 10) },
    labels: { isBug: i % 3 === 0 || i % 10 > 6 },
  }))

test('measures a group like a run with only its rows', () => {
  const rows = createRows(60)
  const groupedRows = rows.map((row, i) => ({ ...row, group: `g${i % 12}` }))
  const { groups } = evaluate(groupedRows, { byGroup: true })
  assert.is(Object.keys(groups).length, 12)
  // The rows of the group g3, without their group.
  const rowsOfGroup = rows.filter((_, i) => i % 12 === 3)
  assert.equal(groups.g3.questions.isBug, evaluate(rowsOfGroup).questions.isBug)
})

/**
 * The reasons why the accuracy and the Brier score have no interval. A reason is `undefined` if there is an interval. With a
 * `groupCount` of 0, rows have no group.
 */
const intervalCases = [
  {
    rowCount: 29,
    groupCount: 0,
    noAccuracyReason: undefined,
    noBrierReason: 'an interval takes 30 rows, and there are 29',
  },
  { rowCount: 30, groupCount: 0, noAccuracyReason: undefined, noBrierReason: undefined },
  {
    rowCount: 90,
    groupCount: 29,
    noAccuracyReason: undefined,
    noBrierReason: 'an interval takes 30 groups, and there are 29',
  },
  {
    rowCount: 90,
    groupCount: 30,
    noAccuracyReason: undefined,
    noBrierReason: 'an interval takes 30 rows, and these 90 are worth 28',
  },
  { rowCount: 90, groupCount: 45, noAccuracyReason: undefined, noBrierReason: undefined },
  {
    rowCount: 90,
    groupCount: 9,
    noAccuracyReason: 'an interval takes 10 groups, and there are 9',
    noBrierReason: 'an interval takes 30 groups, and there are 9',
  },
  {
    rowCount: 90,
    groupCount: 1,
    noAccuracyReason: 'all rows are of one group',
    noBrierReason: 'all rows are of one group',
  },
]

for (const { rowCount, groupCount, noAccuracyReason, noBrierReason } of intervalCases)
  test(`has intervals, or says why not, for ${rowCount} rows in ${groupCount} groups`, () => {
    const rows = createRows(rowCount)
    const groupedRows = rows.map((row, i) =>
      groupCount === 0 ? row : { ...row, group: i % groupCount },
    )
    const { why, intervals } = evaluate(groupedRows).questions.isBug
    assert.is(why.accuracy, noAccuracyReason)
    assert.is(why.brier_score, noBrierReason)
    assert.is('accuracy' in intervals, noAccuracyReason === undefined)
    assert.is('brier_score' in intervals, noBrierReason === undefined)
  })

test('has no interval of a ranking if rows have different weights', () => {
  const rows = createRows(90).map((row, i) => ({ ...row, p: i % 2 === 0 ? 0.5 : 1 }))
  const { why, intervals } = evaluate(rows).questions.isBug
  assert.is(why.roc_auc, 'an interval takes rows of equal weight')
  assert.is(why.average_precision, 'an interval takes rows of equal weight')
  assert.ok(intervals.brier_score && intervals.accuracy)
})

test('counts rows of very different weights as few rows', () => {
  const rows = createRows(90).map((row, i) => ({ ...row, p: i < 80 ? 1 : 0.01 }))
  // Ten rows have the weight 100, and 80 the weight 1: (10 · 100 + 80)² / (10 · 100² + 80) is about 11.6.
  const { why } = evaluate(rows).questions.isBug
  assert.match(why.brier_score, /^an interval takes 30 rows, and these 90 are worth \d+$/)
})

test('counts refusals in their group', () => {
  const { groups, refused } = evaluate(
    [
      { answers: { isBug: createNoul(0.9) }, labels: { isBug: true }, group: 'x' },
      { answers: { isBug: { type: 'refusal' } }, group: 'x' },
      { answers: { isBug: { type: 'refusal' } }, group: 'y' },
    ],
    { byGroup: true },
  )
  assert.is(refused, 2)
  assert.is(groups.x.questions.isBug.refused, 1)
  assert.is(groups.x.questions.isBug.n, 1)
  assert.is(groups.y.questions.isBug.refused, 1)
  assert.is(groups.y.questions.isBug.n, 0)
})

test('refuses --by-group for more than 1,000 groups', () => {
  const rows = Array.from({ length: 1001 }, (_, group) => ({
    answers: { isBug: createNoul(0.9) },
    labels: { isBug: true },
    group,
  }))
  const tooMany = checkGroupCount(collectRun(rows))
  assert.ok(E.isLeft(tooMany))
  assert.is(
    messageOf(tooMany.left),
    '--by-group: the run has 1001 groups, and svc takes at most 1000',
  )
  assert.ok(E.isRight(checkGroupCount(collectRun(rows.slice(1)))))
})

test('makes every figure null without labels, and says why', () => {
  const answers = {
    isBug: createNoul(0.5),
    team: createChoice({ a: 1 }),
    urgency: createScore(1, 0),
  }
  const { questions } = evaluate([{ answers }])
  for (const id of ['isBug', 'team', 'urgency']) {
    assert.is(questions[id].n, 0)
    assert.is(questions[id].calibration_curve, null)
    assert.is(questions[id].why.ece, 'no labelled rows')
  }
})

test('measures only the accuracy of choices without probabilities', () => {
  const withoutProbabilities = { type: 'choice', choice: 'a', confidence: 1 }
  const { team } = evaluate([
    { answers: { team: withoutProbabilities }, labels: { team: 'a' } },
    { answers: { team: createChoice({ a: 1, b: 0 }) }, labels: { team: 'b' } },
  ]).questions
  assert.is(team.accuracy, 0.5)
  assert.is(team.log_loss, null)
  assert.is(team.confusion_matrix, null)
  assert.is(team.why.log_loss, '1 of 2 answers have no probabilities')
  assert.equal(team.baseline, { label: 'a', accuracy: 0.5 })
})

test('measures only the error of scores without probabilities', () => {
  const withoutProbabilities = { type: 'score', score: 1.5, confidence: 1 }
  const { urgency } = evaluate([
    { answers: { urgency: withoutProbabilities }, labels: { urgency: 1 } },
    { answers: { urgency: createScore(0, 1) }, labels: { urgency: 1 } },
  ]).questions
  // The scores 1.5 and 1 are 0.5 and 0 from their labels.
  assert.is(urgency.mean_absolute_error, 0.25)
  assert.is(urgency.exact, null)
  assert.is(urgency.why.exact, '1 of 2 answers have no probabilities')
})

test('weights each row by 1/p, with the probability p with which it was drawn', () => {
  const { isBug } = evaluate([
    { answers: { isBug: createNoul(0.9) }, labels: { isBug: true }, p: 0.1 },
    { answers: { isBug: createNoul(0.6) }, labels: { isBug: false }, p: 1 },
  ]).questions
  assert.is(isBug.n, 2)
  // The right row has the weight 10, and the wrong one the weight 1.
  assert.ok(Math.abs(isBug.accuracy - 10 / 11) < 1e-9)
})

test('parses the path and number of a limit', () => {
  assert.equal(
    parseLimits('--min', ['tone.accuracy=1', '["a b.c"].x=1']),
    E.right([
      { flag: '--min', text: 'tone.accuracy=1', question: 'tone', figure: 'accuracy', value: 1 },
      { flag: '--min', text: '["a b.c"].x=1', question: 'a b.c', figure: 'x', value: 1 },
    ]),
  )
})

test('refuses malformed paths of limits', () => {
  const paths = ['', '.', 'a.', 'a..b', '1a.b', '["a.b', 'a b.c', '["\\x"].y', '.a', 'a.b.c']
  for (const path of paths) assert.ok(E.isLeft(parseLimits('--min', [`${path}=1`])), path)
})

const limitedRows = createRows(60)

/** Returns the limits that the figures of `limitedRows` do not meet. Fails if a limit is invalid. */
const checkLimits = (
  min: ReadonlyArray<string>,
  max: ReadonlyArray<string> = [],
): E.Either<Failure, ReadonlyArray<string>> => {
  const minima = parseLimits('--min', min)
  if (E.isLeft(minima)) return minima
  const maxima = parseLimits('--max', max)
  if (E.isLeft(maxima)) return maxima
  const evaluation = evaluateRun(collectRun(limitedRows), { seed: 0, byGroup: false })
  return findUnmet([...minima.right, ...maxima.right], evaluation)
}

test('compares --min with the lower end of the interval', () => {
  const { accuracy, intervals } = evaluate(limitedRows).questions.isBug
  assert.equal(checkLimits([`isBug.accuracy=${intervals.accuracy.low - 1e-9}`]), E.right([]))
  const unmet = checkLimits([`isBug.accuracy=${accuracy}`])
  assert.ok(E.isRight(unmet))
  assert.match(
    unmet.right[0] ?? '',
    /^--min isBug\.accuracy=[\d.]+ \(accuracy is [\d.]+, from [\d.]+ to [\d.]+\)$/,
  )
})

test('compares --max with the upper end of the interval', () => {
  const { intervals } = evaluate(limitedRows).questions.isBug
  const { low, high } = intervals.log_loss
  assert.equal(checkLimits([], [`isBug.log_loss=${high + 1e-9}`]), E.right([]))
  const unmet = checkLimits([], [`isBug.log_loss=${low}`])
  assert.ok(E.isRight(unmet))
  assert.is(unmet.right.length, 1)
})

test('compares a limit with the figure if the figure never has an interval', () => {
  const { ece } = evaluate(limitedRows).questions.isBug
  assert.equal(checkLimits(['isBug.n=60'], [`isBug.ece=${ece + 1e-9}`]), E.right([]))
  assert.equal(checkLimits(['isBug.n=61']), E.right(['--min isBug.n=61 (n is 60)']))
})

for (const limit of ['isBug', 'isBug.accuracy', 'isBug.accuracy=', 'isBug.accuracy=x', '=1'])
  test(`refuses the limit ${limit}`, () => {
    const checked = checkLimits([limit])
    assert.ok(E.isLeft(checked))
    const message = `--min "${limit}": expected <question>.<figure>=<number>`
    assert.is(messageOf(checked.left), message)
  })

test.run()

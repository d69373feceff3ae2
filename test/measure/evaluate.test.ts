import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encode } from '../../lib/codec/json/draft'
import type { Failure } from '../../lib/failure/failure'
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
const evaluate = (rows: ReadonlyArray<RecordFields>, byGroup = false): Document => {
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
  test(`agrees with scikit-learn on noul question ${i}`, () => {
    const rows = probabilities.map((probability, row) => ({
      answers: { q: createNoul(probability) },
      labels: { q: labels[row] },
    }))
    const { q } = evaluate(rows).questions
    const { at_half: atHalf, ...figures } = expected
    assertIncludes(q, figures, 'q')
    assertIncludes(q.sweep[10], { at: 0.5, ...atHalf }, 'sweep')
  })

for (const [i, vector] of vectors.choice.entries()) {
  // JSON.parse moves names that look like numbers to the front, which would change the order of these labels.
  if (vector.labels.some((label) => /^\d+$/.test(label))) continue
  test(`agrees with scikit-learn on choice question ${i}`, () => {
    const { labels, probabilities, y, expected } = vector
    const rows = probabilities.map((rowProbabilities, row) => {
      const byLabel = rowProbabilities.map((probability, k) => [labels[k], probability] as const)
      return { answers: { q: createChoice(Object.fromEntries(byLabel)) }, labels: { q: y[row] } }
    })
    const { q } = evaluate(rows).questions
    const { majority_accuracy: majorityAccuracy, ...figures } = expected
    const confusion = { confusion_matrix: { matrix: expected.confusion_matrix } }
    assertIncludes(q, { ...figures, ...confusion }, 'q')
    assertIncludes(q.baseline.accuracy, majorityAccuracy, 'baseline')
  })
}

for (const [i, { probabilities, y: levels, expected }] of vectors.score.entries())
  test(`agrees with scikit-learn on score question ${i}`, () => {
    const rows = probabilities.map((rowProbabilities, row) => ({
      answers: { q: createScore(...rowProbabilities) },
      labels: { q: levels[row] },
    }))
    const confusion = { confusion_matrix: { matrix: expected.confusion_matrix } }
    assertIncludes(evaluate(rows).questions.q, { ...expected, ...confusion }, 'q')
  })

/** Creates labelled rows with different probabilities. Some of the answers are wrong. */
const createRows = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    answers: { q: createNoul((i % 10) / 10) },
    labels: { q: i % 3 === 0 || i % 10 > 6 },
  }))

test('measures a group like a run with only its rows', () => {
  const rows = createRows(60)
  const groupedRows = rows.map((row, i) => ({ ...row, group: `g${i % 12}` }))
  const { groups } = evaluate(groupedRows, true)
  assert.is(Object.keys(groups).length, 12)
  const rowsOfGroup = rows.filter((_, i) => i % 12 === 3)
  assert.equal(groups.g3.questions.q, evaluate(rowsOfGroup).questions.q)
})

const intervalCases = [
  {
    rows: 29,
    groups: 0,
    accuracy: undefined,
    brier: 'an interval takes 30 rows, and there are 29',
  },
  { rows: 30, groups: 0, accuracy: undefined, brier: undefined },
  {
    rows: 90,
    groups: 29,
    accuracy: undefined,
    brier: 'an interval takes 30 groups, and there are 29',
  },
  { rows: 90, groups: 30, accuracy: undefined, brier: undefined },
  {
    rows: 90,
    groups: 9,
    accuracy: 'an interval takes 10 groups, and there are 9',
    brier: 'an interval takes 30 groups, and there are 9',
  },
  {
    rows: 90,
    groups: 1,
    accuracy: 'all rows are of one group',
    brier: 'all rows are of one group',
  },
]

for (const { rows: count, groups, accuracy, brier } of intervalCases)
  test(`has intervals, or says why not, for ${count} rows in ${groups} groups`, () => {
    const rows = createRows(count)
    const groupedRows = rows.map((row, i) => (groups === 0 ? row : { ...row, group: i % groups }))
    const { why, intervals } = evaluate(groupedRows).questions.q
    assert.is(why.accuracy, accuracy)
    assert.is(why.brier_score, brier)
    assert.is('accuracy' in intervals, accuracy === undefined)
    assert.is('brier_score' in intervals, brier === undefined)
  })

test('has no interval of a ranking if rows have different weights', () => {
  const rows = createRows(90).map((row, i) => ({ ...row, p: i % 2 === 0 ? 0.5 : 1 }))
  const { why, intervals } = evaluate(rows).questions.q
  assert.is(why.roc_auc, 'an interval takes rows of equal weight')
  assert.is(why.average_precision, 'an interval takes rows of equal weight')
  assert.ok(intervals.brier_score && intervals.accuracy)
})

test('counts rows of very different weights as few rows', () => {
  const rows = createRows(90).map((row, i) => ({ ...row, p: i < 80 ? 1 : 0.01 }))
  const { why } = evaluate(rows).questions.q
  assert.match(why.brier_score, /^an interval takes 30 rows, and these 90 are worth \d+$/)
})

test('counts refusals in their group', () => {
  const { groups, refused } = evaluate(
    [
      { answers: { q: createNoul(0.9) }, labels: { q: true }, group: 'x' },
      { answers: { q: { type: 'refusal' } }, group: 'x' },
      { answers: { q: { type: 'refusal' } }, group: 'y' },
    ],
    true,
  )
  assert.is(refused, 2)
  assert.is(groups.x.questions.q.refused, 1)
  assert.is(groups.x.questions.q.n, 1)
  assert.is(groups.y.questions.q.refused, 1)
  assert.is(groups.y.questions.q.n, 0)
})

const messageOf = (failure: Failure): string | undefined =>
  'message' in failure ? failure.message : undefined

test('refuses --by-group for more than 1,000 groups', () => {
  const rows = Array.from({ length: 1001 }, (_, group) => ({
    answers: { q: createNoul(0.9) },
    labels: { q: true },
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
  const answers = { q: createNoul(0.5), t: createChoice({ a: 1 }), u: createScore(1, 0) }
  const { questions } = evaluate([{ answers }])
  for (const id of ['q', 't', 'u']) {
    assert.is(questions[id].n, 0)
    assert.is(questions[id].calibration_curve, null)
    assert.is(questions[id].why.ece, 'no labelled rows')
  }
})

test('measures only the accuracy of choices without probabilities', () => {
  const withoutProbabilities = { type: 'choice', choice: 'a', confidence: 1 }
  const { q } = evaluate([
    { answers: { q: withoutProbabilities }, labels: { q: 'a' } },
    { answers: { q: createChoice({ a: 1, b: 0 }) }, labels: { q: 'b' } },
  ]).questions
  assert.is(q.accuracy, 0.5)
  assert.is(q.log_loss, null)
  assert.is(q.confusion_matrix, null)
  assert.is(q.why.log_loss, '1 of 2 answers have no probabilities')
  assert.equal(q.baseline, { label: 'a', accuracy: 0.5 })
})

test('measures only the error of scores without probabilities', () => {
  const withoutProbabilities = { type: 'score', score: 1.5, confidence: 1 }
  const { q } = evaluate([
    { answers: { q: withoutProbabilities }, labels: { q: 1 } },
    { answers: { q: createScore(0, 1) }, labels: { q: 1 } },
  ]).questions
  assert.is(q.mean_absolute_error, 0.25)
  assert.is(q.exact, null)
  assert.is(q.why.exact, '1 of 2 answers have no probabilities')
})

test('weights each row by the chance with which it was drawn', () => {
  const { q } = evaluate([
    { answers: { q: createNoul(0.9) }, labels: { q: true }, p: 0.1 },
    { answers: { q: createNoul(0.6) }, labels: { q: false }, p: 1 },
  ]).questions
  assert.is(q.n, 2)
  assert.ok(Math.abs(q.accuracy - 10 / 11) < 1e-9)
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
  const { accuracy, intervals } = evaluate(limitedRows).questions.q
  assert.equal(checkLimits([`q.accuracy=${intervals.accuracy.low - 1e-9}`]), E.right([]))
  const unmet = checkLimits([`q.accuracy=${accuracy}`])
  assert.ok(E.isRight(unmet))
  assert.match(
    unmet.right[0] ?? '',
    /^--min q\.accuracy=[\d.]+ \(accuracy is [\d.]+, from [\d.]+ to [\d.]+\)$/,
  )
})

test('compares --max with the upper end of the interval', () => {
  const { intervals } = evaluate(limitedRows).questions.q
  const { low, high } = intervals.log_loss
  assert.equal(checkLimits([], [`q.log_loss=${high + 1e-9}`]), E.right([]))
  const unmet = checkLimits([], [`q.log_loss=${low}`])
  assert.ok(E.isRight(unmet))
  assert.is(unmet.right.length, 1)
})

test('compares a limit with the figure if the figure never has an interval', () => {
  const { ece } = evaluate(limitedRows).questions.q
  assert.equal(checkLimits(['q.n=60'], [`q.ece=${ece + 1e-9}`]), E.right([]))
  assert.equal(checkLimits(['q.n=61']), E.right(['--min q.n=61 (n is 60)']))
})

const invalidLimits: ReadonlyArray<
  readonly [message: string, min: ReadonlyArray<string>, max: ReadonlyArray<string>]
> = [
  ['--min "r.accuracy=1": no question "r"; did you mean q?', ['r.accuracy=1'], []],
  ['--max "q.acuracy=1": no figure "acuracy"; did you mean accuracy?', [], ['q.acuracy=1']],
  ...['q', 'q=1', 'q.accuracy', 'q.accuracy=', 'q.accuracy=x', '=1'].map(
    (limit) => [`--min "${limit}": expected <question>.<figure>=<number>`, [limit], []] as const,
  ),
]

for (const [message, min, max] of invalidLimits)
  test(`refuses a limit: ${message}`, () => {
    const checked = checkLimits(min, max)
    assert.ok(E.isLeft(checked))
    assert.is(messageOf(checked.left), message)
  })

test.run()

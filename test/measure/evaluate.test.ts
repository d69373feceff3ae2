import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encode } from '../../lib/codec/json/draft'
import { usage } from '../../lib/failure/failure'
import {
  checkGroupCount,
  encodeEvaluation,
  evaluateRun,
} from '../../lib/measure/evaluate/evaluation'
import { findUnmet, parseLimits } from '../../lib/measure/evaluate/figure-limits'
import { collectRun, createChoice, createNoul, createScore, type RecordFields } from './runs'
import { vectors } from './statistics/vectors'

const test = suite('measure/evaluate')

// biome-ignore lint/suspicious/noExplicitAny: a document is looked at as its reader would
type Document = any

const measure = (rows: ReadonlyArray<RecordFields>, byGroup = false, seed = 0): Document =>
  JSON.parse(encode(encodeEvaluation(evaluateRun(collectRun(rows), { seed, byGroup }))).toString())

const close = (actual: Document, expected: Document, what: string): void => {
  if (typeof expected === 'number') {
    assert.ok(Math.abs(actual - expected) <= 1e-9, `${what}: ${actual}, expected ${expected}`)
  } else if (typeof expected === 'object' && expected !== null) {
    for (const [name, value] of Object.entries(expected))
      close(actual[name], value, `${what}.${name}`)
  } else assert.is(actual, expected, what)
}

for (const [i, { p, y, expected }] of vectors.noul.entries())
  test(`noul ${i} as scikit-learn has it`, () => {
    const document = measure(
      p.map((one, row) => ({ answers: { q: createNoul(one) }, labels: { q: y[row] } })),
    )
    const { at_half: atHalf, ...figures } = expected
    close(document.questions.q, figures, 'q')
    close(document.questions.q.sweep[10], { at: 0.5, ...atHalf }, 'sweep')
  })

// JSON.parse would reorder these labels: the reader of runs has a test of its own for that.
for (const [i, { labels, probabilities, y, expected }] of vectors.choice.entries())
  if (labels.every((label) => !/^\d+$/.test(label)))
    test(`choice ${i} as scikit-learn has it`, () => {
      const rows = probabilities.map((row, at) => ({
        answers: { q: createChoice(Object.fromEntries(row.map((one, k) => [labels[k], one]))) },
        labels: { q: y[at] },
      }))
      const { majority_accuracy: majority, ...figures } = expected
      close(
        measure(rows).questions.q,
        { ...figures, confusion_matrix: { matrix: expected.confusion_matrix } },
        'q',
      )
      close(measure(rows).questions.q.baseline.accuracy, majority, 'baseline')
    })

for (const [i, { probabilities, y, expected }] of vectors.score.entries())
  test(`score ${i} as scikit-learn has it`, () => {
    const rows = probabilities.map((row, at) => ({
      answers: { q: createScore(...row) },
      labels: { q: y[at] },
    }))
    close(
      measure(rows).questions.q,
      { ...expected, confusion_matrix: { matrix: expected.confusion_matrix } },
      'q',
    )
  })

const some = Array.from({ length: 60 }, (_, i) => ({
  answers: { q: createNoul((i % 10) / 10) },
  labels: { q: i % 3 === 0 || i % 10 > 6 },
  group: `g${i % 12}`,
}))

/** The same rows without groups, so that every figure has its interval. */
const ungrouped = some.map(({ group: _, ...row }) => row)

test('groups have the figures of their rows', () => {
  const { groups } = measure(some, true)
  assert.equal(Object.keys(groups).length, 12)
  const alone = measure(
    some.filter(({ group }) => group === 'g3').map(({ group: _, ...row }) => row),
  )
  assert.equal(groups.g3.questions.q, alone.questions.q)
})

test('the bootstrap needs 30 rows and 30 groups, shares of rows need 10 groups', () => {
  const inGroups = (rows: number, groups: number) =>
    measure(
      Array.from({ length: rows }, (_, i) => ({
        answers: { q: createNoul((i % 10) / 10) },
        labels: { q: i % 3 === 0 || i % 10 > 6 },
        ...(groups > 0 && { group: i % groups }),
      })),
    ).questions.q
  const whyOf = (rows: number, groups: number) => {
    const { why, intervals } = inGroups(rows, groups)
    return [why.accuracy, why.brier_score, Object.keys(intervals).includes('brier_score')]
  }
  assert.equal(whyOf(29, 0), [undefined, 'an interval takes 30 rows, and there are 29', false])
  assert.equal(whyOf(30, 0), [undefined, undefined, true])
  assert.equal(whyOf(90, 29), [undefined, 'an interval takes 30 groups, and there are 29', false])
  assert.equal(whyOf(90, 30), [undefined, undefined, true])
  const nine = 'an interval takes 10 groups, and there are 9'
  assert.equal(whyOf(90, 9)[0], nine)
  assert.equal(whyOf(90, 1)[0], 'all rows are of one group')
})

test('rows of unequal weight have no interval of a ranking', () => {
  const rows = Array.from({ length: 90 }, (_, i) => ({
    answers: { q: createNoul((i % 10) / 10) },
    labels: { q: i % 3 === 0 },
    p: i % 2 ? 1 : 0.5,
  }))
  const { why, intervals } = measure(rows).questions.q
  assert.is(why.roc_auc, 'an interval takes rows of equal weight')
  assert.is(why.average_precision, 'an interval takes rows of equal weight')
  assert.ok(intervals.brier_score && intervals.accuracy)
  const few = measure(rows.map((row, i) => ({ ...row, p: i < 80 ? 1 : 0.01 }))).questions.q
  assert.match(few.why.brier_score, /^an interval takes 30 rows, and these 90 are worth \d+$/)
})

test('refusals count in their group', () => {
  const { groups, refused } = measure(
    [
      { answers: { q: createNoul(0.9) }, labels: { q: true }, group: 'x' },
      { answers: { q: { type: 'refusal' } }, group: 'x' },
      { answers: { q: { type: 'refusal' } }, group: 'y' },
    ],
    true,
  )
  assert.is(refused, 2)
  assert.equal([groups.x.questions.q.refused, groups.y.questions.q.refused], [1, 1])
  assert.equal([groups.x.questions.q.n, groups.y.questions.q.n], [1, 0])
})

test('a run has at most 1,000 groups', () => {
  const rows = Array.from({ length: 1001 }, (_, group) => ({
    answers: { q: createNoul(0.9) },
    labels: { q: true },
    group,
  }))
  assert.equal(
    checkGroupCount(collectRun(rows)),
    E.left(usage('--by-group: the run has 1001 groups, and svc takes at most 1000')),
  )
  assert.ok(E.isRight(checkGroupCount(collectRun(rows.slice(1)))))
})

test('without labels every figure is null and says why', () => {
  const { questions } = measure([
    { answers: { q: createNoul(0.5), t: createChoice({ a: 1 }), u: createScore(1, 0) } },
  ])
  for (const id of ['q', 't', 'u']) {
    assert.is(questions[id].n, 0)
    assert.is(questions[id].calibration_curve, null)
    assert.is(questions[id].why.ece, 'no labelled rows')
  }
})

test('answers without probabilities leave accuracy, or the error of the score', () => {
  const bare = { type: 'choice', choice: 'a', confidence: 1 }
  const level = { type: 'score', score: 1.5, confidence: 1 }
  const { t, u } = measure([
    { answers: { t: bare, u: level }, labels: { t: 'a', u: 1 } },
    {
      answers: { t: createChoice({ a: 1, b: 0 }), u: createScore(0, 1) },
      labels: { t: 'b', u: 1 },
    },
  ]).questions
  assert.is(t.accuracy, 0.5)
  assert.is(t.log_loss, null)
  assert.is(t.confusion_matrix, null)
  assert.is(t.why.log_loss, '1 of 2 answers have no probabilities')
  assert.is(u.mean_absolute_error, 0.25)
  assert.is(u.exact, null)
  assert.is(u.why.exact, '1 of 2 answers have no probabilities')
  assert.equal(t.baseline, { label: 'a', accuracy: 0.5 })
})

test('weights undo how a sample was drawn', () => {
  const right = (p: number) => ({ answers: { q: createNoul(0.9) }, labels: { q: true }, p })
  const wrong = (p: number) => ({ answers: { q: createNoul(0.6) }, labels: { q: false }, p })
  const { q } = measure([right(0.1), wrong(1)]).questions
  assert.ok(Math.abs(q.accuracy - 10 / 11) < 1e-9)
  assert.is(q.n, 2)
})

test('paths', () => {
  const limit = { flag: '--min', value: 1 }
  assert.equal(
    parseLimits('--min', ['tone.accuracy=1', '["a b.c"].x=1']),
    E.right([
      { ...limit, text: 'tone.accuracy=1', question: 'tone', figure: 'accuracy' },
      { ...limit, text: '["a b.c"].x=1', question: 'a b.c', figure: 'x' },
    ]),
  )
  for (const bad of ['', '.', 'a.', 'a..b', '1a.b', '["a.b', 'a b.c', '["\\x"].y', '.a', 'a.b.c'])
    assert.ok(E.isLeft(parseLimits('--min', [`${bad}=1`])), bad)
})

const checked = (min: ReadonlyArray<string>, max: ReadonlyArray<string> = []) => {
  const minima = parseLimits('--min', min)
  const maxima = parseLimits('--max', max)
  if (E.isLeft(minima)) return minima.left
  if (E.isLeft(maxima)) return maxima.left
  const evaluation = evaluateRun(collectRun(ungrouped), { seed: 0, byGroup: false })
  const result = findUnmet([...minima.right, ...maxima.right], evaluation)
  return E.isLeft(result) ? result.left : result.right
}

test('limits hold against the worse end of an interval', () => {
  const { accuracy, ece, intervals } = measure(ungrouped).questions.q
  assert.equal(checked([`q.accuracy=${intervals.accuracy.low - 1e-9}`]), [])
  const short = checked([`q.accuracy=${accuracy}`]) as ReadonlyArray<string>
  assert.match(
    short[0] ?? '',
    /^--min q\.accuracy=[\d.]+ \(accuracy is [\d.]+, from [\d.]+ to [\d.]+\)$/,
  )
  assert.equal(checked([], [`q.log_loss=${intervals.log_loss.high + 1e-9}`]), [])
  assert.is(
    (checked([], [`q.log_loss=${intervals.log_loss.low}`]) as ReadonlyArray<string>).length,
    1,
  )
  assert.equal(checked([`q.n=60`], [`q.ece=${ece + 1e-9}`]), [])
  assert.equal(checked(['q.n=61']), ['--min q.n=61 (n is 60)'])
})

test('refuses limits that name no figure', () => {
  const message = (failure: unknown) => (failure as { readonly message: string }).message
  assert.is(
    message(checked(['r.accuracy=1'])),
    '--min "r.accuracy=1": no question "r"; did you mean q?',
  )
  assert.is(
    message(checked([], ['q.acuracy=1'])),
    '--max "q.acuracy=1": no figure "acuracy"; did you mean accuracy?',
  )
  for (const bad of ['q', 'q=1', 'q.accuracy', 'q.accuracy=', 'q.accuracy=x', '=1'])
    assert.is(message(checked([bad])), `--min "${bad}": expected <question>.<figure>=<number>`)
})

test.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { nodeFiles } from '../../lib/runtime/node/files'
import { loadVectorTable } from '../../lib/service/engines/embedded/vector-table'
import { answerEmbedded } from '../service/engines/embedded/answer-embedded'
import { type LabelledSet, readLabelledSets } from './labelled-sets'
import {
  type Accuracy,
  measureAccuracy,
  measureSets,
  type PredictSet,
  predictPrior,
  predictUniform,
} from './measure-accuracy'

const test = suite('accuracy of the embedded engine')

const sets = readLabelledSets()
let predictEmbedded: PredictSet
test.before(async () => {
  const table = await loadVectorTable(nodeFiles)
  predictEmbedded = ({ question, rows }) =>
    rows.map(({ text }) => answerEmbedded(text, question, table))
})

test('there are 520 answers to everyday texts and 1,976 to public data', () => {
  const countRows = (source: LabelledSet['source']): number =>
    sets.filter((set) => set.source === source).reduce((sum, { rows }) => sum + rows.length, 0)
  assert.equal([countRows('everyday'), countRows('datasets')], [520, 1976])
})

// The limits are 2 points below the figures of today.
for (const { source, type, minRight } of [
  { source: 'everyday', type: 'choice', minRight: 0.81 },
  { source: 'everyday', type: 'noul', minRight: 0.76 },
  { source: 'everyday', type: 'score', minRight: 0.55 },
  { source: 'datasets', type: 'choice', minRight: 0.55 },
  { source: 'datasets', type: 'noul', minRight: 0.77 },
  { source: 'datasets', type: 'score', minRight: 0.39 },
] as const) {
  const measure = (predict: PredictSet): Accuracy =>
    measureSets(
      sets.filter((set) => set.source === source && set.question.type === type),
      predict,
    )

  test(`${source}, ${type}: right in at least ${100 * minRight} % of the rows`, () => {
    const { right } = measure(predictEmbedded)
    assert.ok(right >= minRight, String(right))
  })

  test(`${source}, ${type}: states at most 3 points more than it is right, and loses less than no opinion`, () => {
    const { right, stated, logLoss } = measure(predictEmbedded)
    assert.ok(stated <= right + 0.03, `stated ${stated}, right ${right}`)
    assert.ok(logLoss < measure(predictUniform).logLoss, String(logLoss))
  })
}

test('counts a tie as chance, and a uniform answer as no opinion', () => {
  const accuracy = measureAccuracy([
    { probabilities: [0.5, 0.5], label: 0 },
    { probabilities: [0.2, 0.8], label: 1 },
    { probabilities: [0.4, 0.2, 0.4], label: 1 },
    { probabilities: [1, 0], label: 1 },
  ])
  assert.is(accuracy.right, (0.5 + 1) / 4)
  assert.is(accuracy.noOpinion, 1 / 4)
  assert.is(accuracy.stated, (0.5 + 0.8 + 0.4 + 1) / 4)
  const losses = [0.5, 0.8, 0.2, 0.0001].map((p) => -Math.log(p))
  assert.is(
    accuracy.logLoss.toFixed(9),
    (losses.reduce((sum, loss) => sum + loss, 0) / 4).toFixed(9),
  )
})

test("the set's own prior is the share of each label", () => {
  const set: LabelledSet = {
    name: 's',
    source: 'everyday',
    question: { type: 'noul' },
    rows: [0, 1, 1, 1].map((label) => ({ text: 't', label })),
  }
  assert.equal(predictPrior(set)[0], [0.25, 0.75])
  assert.equal(predictUniform(set)[0], [0.5, 0.5])
})

test.run()

import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type CalibrateOptions,
  calibrate,
  calibrateQuestion,
} from '../../lib/measure/calibrate/calibrate'
import { parseTargets } from '../../lib/measure/calibrate/targets'
import type { CalibrationMap } from '../../lib/runs/policy/policy'
import { readVectors } from '../support/vectors'
import { collectRun, createNoul, type RecordFields } from './runs'
import { assertNear } from './statistics/vectors'

/**
 * Compares policies with those of a reference implementation in NumPy. A policy has a map, which corrects probabilities, and a cut:
 * answers at or above it are accepted. The cut is chosen among candidates, which are thresholds that do not depend on the labels.
 */
const test = suite('measure/calibrate, vectors')

interface ExpectedCandidate {
  readonly at: number
  readonly n: number
  readonly figure: number
  /** The effective number of rows. */
  readonly worth: number
  readonly groups?: number
  readonly skipped?: boolean
}

/** Columns of equal length, and the policy for them. */
interface CutVector {
  readonly name: string
  readonly type: 'noul' | 'choice' | 'score'
  readonly target: string
  readonly confidence: number
  readonly method: CalibrateOptions['method']
  /** P(yes) of each row; absent for other types than noul, a yes/no question. */
  readonly noul?: ReadonlyArray<number>
  readonly labels?: ReadonlyArray<string>
  /** The probability of each label, for each row. */
  readonly probabilities?: ReadonlyArray<ReadonlyArray<number>>
  /** 1 or 0 for a noul, else the index of the label. */
  readonly label: ReadonlyArray<number>
  /** The probability with which the row was drawn. */
  readonly p?: ReadonlyArray<number>
  readonly group?: ReadonlyArray<string | null>
  /** The number of answered rows without a label that follow. */
  readonly unlabelled?: number
  readonly expected: {
    readonly map: CalibrationMap
    readonly cut: Readonly<Record<'n' | 'share' | 'low', number>> & {
      readonly at: number | null
      readonly needs?: number
    }
    /** The candidates in the order of the tests, up to the one that failed. */
    readonly candidates?: ReadonlyArray<ExpectedCandidate>
  }
}

const { cuts } = readVectors<{ readonly cuts: ReadonlyArray<CutVector> }>('cuts.json')

const createAnswer = ({ type, noul, labels = [], probabilities }: CutVector, row: number) => {
  if (noul !== undefined) return createNoul(noul[row] as number)
  const values = probabilities?.[row] ?? []
  const likeliest = labels[values.indexOf(Math.max(...values))]
  const named = Object.fromEntries(labels.map((label, i) => [label, values[i]]))
  const common = { confidence: 0.5, probabilities: named }
  return type === 'choice'
    ? { type, choice: likeliest, ...common }
    : { type, score: values.reduce((total, p, level) => total + p * level, 0), ...common }
}

const createLabel = ({ type, labels = [] }: CutVector, label: number) => {
  if (type === 'noul') return label === 1
  return type === 'choice' ? labels[label] : label
}

const createRows = (vector: CutVector): ReadonlyArray<RecordFields> => {
  const labelled = vector.label.map((label, row) => ({
    questions_sha256: 'a'.repeat(64),
    ...(vector.group && { group: vector.group[row] }),
    ...(vector.p && { p: vector.p[row] }),
    labels: { q: createLabel(vector, label) },
    answers: { q: createAnswer(vector, row) },
  }))
  const unlabelled = Array.from({ length: vector.unlabelled ?? 0 }, () => ({
    questions_sha256: 'a'.repeat(64),
    answers: { q: createAnswer(vector, 0) },
  }))
  return [...labelled, ...unlabelled]
}

const assertMap = (map: CalibrationMap | null | undefined, expected: CalibrationMap): void => {
  assert.is(map?.method, expected.method)
  const figures = new Map(Object.entries(map ?? {}))
  for (const [name, value] of Object.entries(expected))
    if (typeof value === 'number') assertNear(figures.get(name), value, name, 1e-6)
}

for (const vector of cuts) {
  const { name, target, confidence, method, expected } = vector
  test(`agrees with the reference about ${name}`, () => {
    const targets = parseTargets([target])
    if (E.isLeft(targets)) return assert.unreachable(target)
    const run = collectRun(createRows(vector))
    const options = { targets: targets.right, confidence, method, seed: 0 }
    const policies = calibrate(run, options)
    const policy = E.isRight(policies) ? policies.right.get('q') : undefined
    assertMap(policy?.map, expected.map)
    const { at, n = 0, share = 0, low = null, needs } = expected.cut
    assertNear(policy?.cut.threshold, at, 'at', 1e-9)
    assert.is(policy?.cut.acceptedRows, n, 'n')
    assertNear(policy?.cut.acceptedShare, share, 'share')
    assertNear(policy?.cut.lowerBound, low, 'low')
    assert.is(policy?.cut.minRowsForProof, needs, 'needs')
    if (expected.candidates === undefined) return
    const rows = run.questions.get('q')
    const [cutTarget] = targets.right
    if (rows === undefined || cutTarget === undefined) return assert.unreachable('no rows')
    const question = calibrateQuestion(rows, options)
    if (question.map === null) return assert.unreachable(question.reason)
    const candidates = question
      .testCandidates(cutTarget)
      .candidates.filter(({ result }) => result !== 'untested')
    assert.is(candidates.length, expected.candidates.length, 'number of candidates')
    expected.candidates.forEach((candidate, i) => {
      const actual = candidates[i]
      assertNear(actual?.accepted.threshold, candidate.at, `candidate ${i}: at`, 1e-9)
      assert.is(actual?.accepted.rowCount, candidate.n, `candidate ${i}: n`)
      assertNear(actual?.figure, candidate.figure, `candidate ${i}: figure`, 1e-8)
      assertNear(actual?.evidence.effectiveRows, candidate.worth, `candidate ${i}: worth`, 1e-6)
      assert.is(actual?.result === 'skipped', candidate.skipped ?? false, `candidate ${i}: skipped`)
      if (candidate.groups !== undefined)
        assertNear(
          actual?.evidence.effectiveGroups,
          candidate.groups,
          `candidate ${i}: groups`,
          1e-6,
        )
    })
  })
}

test.run()

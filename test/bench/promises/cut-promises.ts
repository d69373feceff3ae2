import { calibrateQuestion } from '../../../lib/measure/calibrate/calibrate'
import { selectScale } from '../../../lib/measure/calibrate/policy-document'
import { applyQuestionPolicy } from '../../../lib/runs/policy/apply'
import type { CalibrationMap, CalibrationMethod } from '../../../lib/runs/policy/policy'
import { createRandom } from '../../../lib/runtime/random'
import {
  computeTrueFigure,
  createHardWorld,
  type ValueKind,
  type World,
  type WorldFigure,
} from './answer-worlds'
import { createDrawer, drawLabelledRows, listChoiceProbabilities, type Sampling } from './draw-rows'

/** One kind of run from which policies are made, and the target of their cuts. */
export interface CutSetting {
  readonly figure: WorldFigure
  readonly target: number
  readonly kind: ValueKind
  readonly method: CalibrationMethod
  readonly labels: number
  readonly sampling: Sampling
}

const targets: ReadonlyArray<readonly [WorldFigure, number]> = [
  ['accuracy', 0.9],
  ['accuracy', 0.95],
  ['accuracy of choice', 0.9],
  ['accuracy of choice', 0.95],
  ['precision', 0.9],
  ['precision', 0.95],
  ['recall', 0.8],
]

/** The correlation within a group of being a hit, if the hits are mostly in some groups. */
const clusteredCorrelation = 0.8

const groupings: ReadonlyArray<Sampling> = [10, 20].flatMap((size) =>
  [0.05, 0.5].flatMap((correlation) =>
    [0, clusteredCorrelation].map(
      (hitCorrelation) => ({ kind: 'groups', size, correlation, hitCorrelation }) as const,
    ),
  ),
)

/** Lists all settings. */
export const listCutSettings = (): ReadonlyArray<CutSetting> =>
  targets.flatMap(([figure, target]) =>
    ([{ kind: 'rows' }, { kind: 'review' }, ...groupings] as const).flatMap((sampling) =>
      listKinds(figure, sampling).flatMap((kind) =>
        listMethods(figure).flatMap((method) =>
          [300, 1000, 3000].map((labels) => ({ figure, target, kind, method, labels, sampling })),
        ),
      ),
    ),
  )

/** Lists the kinds of values. Groups have two of them, to save time. */
const listKinds = (figure: WorldFigure, sampling: Sampling): ReadonlyArray<ValueKind> => {
  if (sampling.kind === 'groups') return ['continuous', 'five']
  const kinds = ['continuous', 'two', 'five', 'ten'] as const
  return figure === 'precision' || figure === 'recall' ? [...kinds, 'rare'] : kinds
}

const listMethods = (figure: WorldFigure): ReadonlyArray<CalibrationMethod> => [
  'none',
  figure === 'accuracy of choice' ? 'temperature' : 'platt',
]

/** The policies of many draws of a setting. */
export interface CutResult {
  readonly setting: CutSetting
  /** The share of draws with a cut. */
  readonly found: number
  /** The share of draws with a cut whose true figure is below the target. */
  readonly missed: number
}

/** Draws labelled rows many times, makes a policy of each, and compares what the policy does with the target. */
export const measureCutSetting = (
  setting: CutSetting,
  drawCount: number,
  seed: number,
): CutResult => {
  const { figure, target, kind, method, labels, sampling } = setting
  const world = createHardWorld(kind, figure, target)
  const draw = createDrawer(world)
  const random = createRandom(seed)
  const targetFigure = figure === 'accuracy of choice' ? 'accuracy' : figure
  let found = 0
  let missed = 0
  for (let i = 0; i < drawCount; i++) {
    const rows = drawLabelledRows(world, figure, draw, labels, sampling, random)
    const question = calibrateQuestion(rows, { confidence: 0.95, method, seed: 0 })
    if (question.map === null) continue
    const { threshold } = question.chooseCut({ figure: targetFigure, value: target })
    if (threshold === null) continue
    found++
    if (measurePolicy(world, figure, question.map, threshold) < target - 1e-9) missed++
  }
  return { setting, found: found / drawCount, missed: missed / drawCount }
}

/** Computes the true figure of what a policy accepts. */
const measurePolicy = (
  world: World,
  figure: WorldFigure,
  map: CalibrationMap,
  at: number,
): number => {
  const isChoice = figure === 'accuracy of choice'
  const type = isChoice ? 'choice' : 'noul'
  const policy = {
    type,
    questionsSha256: '',
    models: [],
    map,
    scale: selectScale(type, isChoice ? 'accuracy' : figure),
    cut: { at },
  } as const
  const outcomes = Array.from(world.values, (value) =>
    applyQuestionPolicy(
      policy,
      isChoice
        ? {
            type: 'choice',
            choice: '0',
            confidence: value,
            probabilities: listChoiceProbabilities(value).map((p, i) => [String(i), p] as const),
          }
        : { type: 'noul', noul: value },
    ),
  )
  return computeTrueFigure(world, figure, {
    isAccepted: (index) => outcomes[index]?.outcome === 'accept',
    isDecidedHit: (index) => outcomes[index]?.decision === true,
  })
}

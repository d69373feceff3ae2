import type { Draft } from '../../../codec/json/draft'
import type { RunEnd } from '../batch-run'
import {
  describeTooManyFlips,
  describeWorstQuestion,
  formatFlipShare,
  type PackFigures,
} from './pack-check'
import type { Packing } from './packing'

/** Explains how to go on after a check that failed. */
export const explainDifferingPacks = ({ names, size, check }: Packing): string => {
  const limit = `${formatFlipShare(check?.maxFlips ?? 0)} (${names.maxFlips})`
  const advice =
    size > 2 ? `pass a smaller ${names.pack}, or leave it out` : `leave out ${names.pack}`
  return `rows in packs of ${size} must not decide otherwise than rows asked alone in more than ${limit}: ${advice}`
}

/** Lists the lines for stderr about the packs of a run. */
export const describePacks = (packing: Packing, end: RunEnd): ReadonlyArray<string> => {
  const { check, names } = packing
  if (check === undefined)
    return [
      `batch: ${names.packCheck} 0: nothing shows that rows in packs get the answers that they get alone`,
    ]
  const isFinished = end.kind === 'complete' || end.kind === 'stopped'
  if (!isFinished || !check.hasBegun()) return []
  if (!check.hasFailed()) return [`batch: ${describeWorstQuestion(check)}`]
  const lines = describeTooManyFlips(check).map((line) => `batch: ${line}`)
  const isStopped = end.kind === 'stopped' && end.by === 'pack_differs'
  return isStopped ? [...lines, `batch: stopped: ${explainDifferingPacks(packing)}`] : lines
}

/** Encodes the member `pack` of a summary. It covers the requests of this run. */
export const encodePacks = ({ size, requests, check }: Packing): Draft => {
  const questions = new Map<string, Draft>()
  if (check?.hasBegun())
    for (const [id, figures] of check.figures()) questions.set(id, encodeFigures(figures))
  return { size, requests: requests(), checked: check?.checkedRows() ?? 0, questions }
}

const encodeFigures = ({ n, flips, high, meanShift, right }: PackFigures): Draft => ({
  n,
  flips,
  high,
  mean_shift: meanShift,
  right: right && { n: right.n, alone: right.alone, packed: right.packed },
})

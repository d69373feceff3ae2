import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import type { ReviewUnit } from '../codec/review-config'
import { type Bundle, bundleFiles } from './bundle'
import type { FileRules } from './read-text'
import { type FindSectionOf, prepareSpecFiles } from './section'

/** The state that a unit's questions are about: the section of the spec, and the two bundles. */
export interface UnitState {
  readonly spec: string
  readonly implementation: Bundle
  readonly tests: Bundle
}

/** The sources of a unit's material. */
export interface Sources {
  readonly rules: FileRules
  readonly findSectionOf: FindSectionOf
  /** The maximum size of each of the two bundles. */
  readonly bundleBytes: number
}

/** Prepares the sources of units. Reading spec files ends when `signal` fires. */
export const prepareSources = (
  rules: FileRules,
  bundleBytes: number,
  signal: AbortSignal,
): Sources => ({ rules, bundleBytes, findSectionOf: prepareSpecFiles(rules, signal) })

/** Reads the state of a unit. Fails with a message for the report, also if `signal` fires. */
export const readUnitState =
  (sources: Sources, unit: ReviewUnit, signal: AbortSignal): TE.TaskEither<string, UnitState> =>
  async () => {
    const { rules, bundleBytes } = sources
    const spec = await sources.findSectionOf(unit)()
    if (E.isLeft(spec)) return spec
    const bundle = (label: string, paths: ReadonlyArray<string>) =>
      bundleFiles(rules, label, paths, bundleBytes, signal)()
    const implementation = await bundle('implementation', unit.implementation)
    if (E.isLeft(implementation)) return implementation
    const tests = await bundle('test', unit.tests)
    if (E.isLeft(tests)) return tests
    return E.right({
      spec: spec.right,
      implementation: implementation.right,
      tests: tests.right,
    })
  }

export const isTruncated = (state: Pick<UnitState, 'implementation' | 'tests'>): boolean =>
  state.implementation.truncated || state.tests.truncated

import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import type { ReviewUnit } from '../codec/review-config'
import { type Bundle, bundleFiles } from './bundle'
import type { FileRules } from './read-text'
import { type FindSectionOf, prepareSpecFiles } from './section'

/** The state of a unit's request. */
export interface UnitState {
  /** The section of the spec. */
  readonly spec: string
  readonly implementation: Bundle
  readonly tests: Bundle
}

/** Where the states of units are read from. */
export interface Sources {
  readonly rules: FileRules
  readonly findSectionOf: FindSectionOf
  /** The maximum size of the implementation, and of the tests. */
  readonly bundleBytes: number
}

export const prepareSources = (
  rules: FileRules,
  bundleBytes: number,
  signal: AbortSignal,
): Sources => ({ rules, bundleBytes, findSectionOf: prepareSpecFiles(rules, signal) })

/** Reads the state of a unit. Fails with a message for the report if a file is unreadable or `signal` fires. */
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

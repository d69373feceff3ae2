import * as E from 'fp-ts/Either'
import type { ReviewUnit } from '../codec/review-config'
import { type Bundle, bundleFiles } from './bundle'
import type { FileAccess } from './read-text'
import { createSectionFinder, type FindUnitSection } from './section'

/** The texts of a unit to which its questions refer. They are sent as the `state` of its request. */
export interface UnitState {
  /** The section of the spec. */
  readonly spec: string
  readonly implementation: Bundle
  readonly tests: Bundle
}

/** The sources of the states of units. */
export interface Sources {
  readonly fileAccess: FileAccess
  readonly findUnitSection: FindUnitSection
  /** The maximum size of the implementation, and of the tests, in bytes. */
  readonly maxBundleBytes: number
}

/** Creates the sources. No file is read before the first unit needs it. Reading the spec fails after `signal` has fired. */
export const prepareSources = (
  fileAccess: FileAccess,
  maxBundleBytes: number,
  signal: AbortSignal,
): Sources => ({
  fileAccess,
  maxBundleBytes,
  findUnitSection: createSectionFinder(fileAccess, signal),
})

/**
 * Reads the state of a unit. Cuts off what exceeds `maxBundleBytes`. Fails with a message for the report if a file is unreadable or
 * `signal` fires.
 */
export const readUnitState = async (
  sources: Sources,
  unit: ReviewUnit,
  signal: AbortSignal,
): Promise<E.Either<string, UnitState>> => {
  const { fileAccess, maxBundleBytes } = sources
  const spec = await sources.findUnitSection(unit)
  if (E.isLeft(spec)) return spec
  const readBundle = (kind: string, paths: ReadonlyArray<string>) =>
    bundleFiles(fileAccess, { kind, paths, maxBytes: maxBundleBytes, signal })
  const implementation = await readBundle('implementation', unit.implementation)
  if (E.isLeft(implementation)) return implementation
  const tests = await readBundle('test', unit.tests)
  if (E.isLeft(tests)) return tests
  return E.right({
    spec: spec.right,
    implementation: implementation.right,
    tests: tests.right,
  })
}

/** Returns `true` if the implementation or the tests were cut to the maximum size. */
export const isTruncated = (state: {
  readonly implementation: Pick<Bundle, 'truncated'>
  readonly tests: Pick<Bundle, 'truncated'>
}): boolean => state.implementation.truncated || state.tests.truncated

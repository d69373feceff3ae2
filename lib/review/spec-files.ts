import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { ReviewUnit } from '../codec/review-config'
import { resolvePath } from './bundle'
import { findSection } from './markdown-section'
import { type FileRules, largestFile, readText } from './read-text'

/** The file and heading of a unit's section. */
type SpecPlace = Pick<ReviewUnit, 'spec' | 'spec_heading'>

/**
 * Finds the sections of units. Each spec file is read once, and dropped from memory after the last unit that
 * needs it.
 */
export interface SpecFiles {
  /** Returns the section of a unit. Fails with a message for the report. Call it once for each unit. */
  readonly section: (unit: SpecPlace) => TE.TaskEither<string, string>
}

/**
 * Prepares the spec files that `units` share. Reading them ends when `signal` fires, whichever unit asked
 * first. spec: "Units sharing a spec path read it once"
 */
export const prepareSpecFiles = (
  reading: FileRules,
  units: ReadonlyArray<SpecPlace>,
  signal: AbortSignal,
): SpecFiles => {
  const pathOf = (unit: SpecPlace): string => resolvePath(reading.folder, unit.spec)
  const waiting = new Map<string, number>()
  for (const path of units.map(pathOf)) waiting.set(path, (waiting.get(path) ?? 0) + 1)
  const read = (path: string, what: string): TE.TaskEither<string, string> =>
    pipe(
      readText(reading, path, what, largestFile, signal),
      TE.filterOrElse(
        ({ size }) => size <= largestFile,
        () => `read ${what}: file exceeds 64 MiB`,
      ),
      TE.map(({ text }) => text),
    )
  const texts = new Map<string, Promise<E.Either<string, string>>>()
  const loadText = (unit: SpecPlace): TE.TaskEither<string, string> => {
    const path = pathOf(unit)
    const left = (waiting.get(path) ?? 1) - 1
    waiting.set(path, left)
    const found = texts.get(path) ?? read(path, `spec ${unit.spec}`)()
    if (left > 0) texts.set(path, found)
    else texts.delete(path)
    return () => found
  }
  return {
    section: (unit) =>
      pipe(
        loadText(unit),
        TE.chainEitherK((markdown) =>
          pipe(
            findSection(markdown, unit.spec_heading),
            E.fromNullable(`heading "${unit.spec_heading}" not found in spec ${unit.spec}`),
          ),
        ),
      ),
  }
}

import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { ReviewUnit } from '../codec/review-config'
import { suggest } from '../failure/suggestion'
import { resolvePath } from './bundle'
import { findHeadings, findSection } from './headings'
import { type FileRules, largestFile, readText } from './read-text'

/** The file and heading of a unit's section. */
type SpecPlace = Pick<ReviewUnit, 'spec' | 'spec_heading'>

/** Finds the section of a unit. Fails with a message for the report. */
export type FindSectionOf = (unit: SpecPlace) => TE.TaskEither<string, string>

/**
 * Prepares finding the sections of units. Each spec file is read once, and reading it ends when `signal` fires,
 * whichever unit asked first.
 */
export const prepareSpecFiles = (reading: FileRules, signal: AbortSignal): FindSectionOf => {
  const texts = new Map<string, Promise<E.Either<string, string>>>()
  const readSpec = (path: string, what: string): TE.TaskEither<string, string> =>
    pipe(
      readText(reading, path, what, largestFile, signal),
      TE.filterOrElse(
        ({ size }) => size <= largestFile,
        () => `read ${what}: file exceeds 64 MiB`,
      ),
      TE.map(({ text }) => text),
    )
  return ({ spec, spec_heading: heading }) => {
    const path = resolvePath(reading.folder, spec)
    const text = texts.get(path) ?? readSpec(path, `spec ${spec}`)()
    texts.set(path, text)
    return pipe(
      () => text,
      TE.chainEitherK((markdown) =>
        pipe(
          E.fromNullable(undefined)(findSection(markdown, heading)),
          E.mapLeft(() => {
            const near = suggest(
              heading,
              findHeadings(markdown).map(({ text }) => text),
            )
            return `heading "${heading}" not found in spec ${spec}${near}`
          }),
        ),
      ),
    )
  }
}

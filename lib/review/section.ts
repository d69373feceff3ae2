import * as E from 'fp-ts/Either'
import type { ReviewUnit } from '../codec/review-config'
import { suggest } from '../text/suggestion'
import { resolvePath } from './bundle'
import { findHeadings, findSection } from './headings'
import { type FileAccess, maxFileBytes, readText } from './read-text'

/** Finds the section of the spec that a unit is about, by its file and heading. Fails with a message for the report. */
export type FindUnitSection = (
  unit: Pick<ReviewUnit, 'spec' | 'spec_heading'>,
) => Promise<E.Either<string, string>>

/** Creates a function that finds the sections of units. It reads each spec file once. Reading fails after `signal` has fired. */
export const createSectionFinder = (
  fileAccess: FileAccess,
  signal: AbortSignal,
): FindUnitSection => {
  // The values are promises, so units that run at the same time share one read.
  const textsByPath = new Map<string, Promise<E.Either<string, string>>>()
  const readSpecFile = async (
    path: string,
    description: string,
  ): Promise<E.Either<string, string>> => {
    const read = await readText(fileAccess, { path, description, maxBytes: maxFileBytes, signal })
    if (E.isLeft(read)) return read
    const { text, size } = read.right
    return size > maxFileBytes ? E.left(`read ${description}: file exceeds 64 MiB`) : E.right(text)
  }
  return async ({ spec, spec_heading: heading }) => {
    const path = resolvePath(fileAccess.folder, spec)
    const pendingText = textsByPath.get(path) ?? readSpecFile(path, `spec ${spec}`)
    textsByPath.set(path, pendingText)
    const markdown = await pendingText
    if (E.isLeft(markdown)) return markdown
    const section = findSection(markdown.right, heading)
    if (section !== undefined) return E.right(section)
    const headings = findHeadings(markdown.right).map(({ text }) => text)
    const hint = suggest(heading, headings)
    return E.left(`heading "${heading}" not found in spec ${spec}${hint}`)
  }
}

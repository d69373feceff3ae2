import { join } from 'node:path'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Failure } from '../../failure/failure'
import { access, checkDistinctFiles, filesOf, type NamedFile } from '../../failure/named-files'
import type { Redact } from '../../failure/text/redact'
import type { Runtime } from '../../runtime/runtime'
import type { Evaluation } from '../evaluate'
import { makeStandalone } from './diagram'
import { drawDiagrams } from './diagrams'
import { type Provenance, writePage } from './page'

/** The paths of `svc eval`: its page, its folder of diagrams, and the files that it reads. */
export interface DiagramPaths {
  readonly html: string | undefined
  readonly svg: string | undefined
  readonly reads: ReadonlyArray<NamedFile>
}

type Outcome = TE.TaskEither<Failure, void>

const nothing: Outcome = TE.right(undefined)

/** Writes the requested page and diagrams, with secrets redacted. R20, D52 */
export const writePages = (
  { files }: Runtime,
  { html, svg, reads }: DiagramPaths,
  evaluation: Evaluation,
  provenance: Provenance,
  redact: Redact,
): Outcome => {
  const diagrams = svg === undefined ? [] : [...drawFiles(evaluation)]
  const written = diagrams.map(([name]) => ({ name: '--svg', path: join(svg ?? '', name) }))
  const read = [...reads, ...filesOf({ html }, 'html')]
  return pipe(
    checkDistinctFiles(files, read, written),
    TE.chain(() =>
      html === undefined
        ? nothing
        : access(`write page ${html}`, () =>
            files.replace(html, redact(writePage(evaluation, provenance))),
          ),
    ),
    TE.chain(() =>
      svg === undefined
        ? nothing
        : access(`write diagrams ${svg}`, async () => {
            await files.makeFolder(svg)
            for (const [name, content] of diagrams)
              await files.replace(join(svg, name), redact(content))
          }),
    ),
  )
}

/**
 * The diagrams by file name. In the names, runs of other characters than letters, digits, `_` and `-` in an id
 * become `-`, of which none begins a name, since it would look like a flag; ids that then have equal names are numbered.
 */
export const drawFiles = ({ questions }: Evaluation): ReadonlyMap<string, string> => {
  const named = new Map<string, string>()
  const stems = new Set<string>()
  // The next number for each name. Without it, finding a free number would take forever where very many ids
  // have equal names.
  const next = new Map<string, number>()
  for (const [id, figures] of questions) {
    const safe =
      id
        .replace(/[^A-Za-z0-9_-]+/g, '-')
        .replace(/^-+/, '')
        .slice(0, 80) || 'question'
    const diagrams = drawDiagrams(figures).filter(({ svg }) => svg !== '')
    // Compared in lower case, since some file systems take `A` and `a` for the same name.
    const folded = safe.toLowerCase()
    let stem = safe
    for (; stems.has(stem.toLowerCase()); stem = `${safe}-${next.get(folded)}`)
      next.set(folded, (next.get(folded) ?? 1) + 1)
    stems.add(stem.toLowerCase())
    for (const { name, svg } of diagrams)
      named.set(`${stem}-${name}.svg`, `${makeStandalone(svg)}\n`)
  }
  return named
}

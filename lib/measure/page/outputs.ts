import { join } from 'node:path'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { type Failure, usage } from '../../failure/failure'
import { distinctFiles } from '../../runtime/distinct-files'
import { reasonOf } from '../../runtime/reason'
import type { Runtime } from '../../runtime/runtime'
import type { Redact } from '../../text/redact'
import type { Evaluation } from '../evaluate'
import { asFile } from './diagram'
import { diagramsOf } from './diagrams'
import { page } from './page'

/** Where `svc eval` leaves its page and its diagrams, and what it reads. */
export interface DiagramPaths {
  readonly html: string | undefined
  readonly svg: string | undefined
  readonly input: string
}

type Outcome = TE.TaskEither<Failure, void>

const nothing: Outcome = TE.right(undefined)

const access = (what: string, act: () => Promise<void>): Outcome =>
  TE.tryCatch(act, (error) => usage(`${what}: ${reasonOf(error)}`))

/** Fails, before the run is read, unless the page could be written, and not over the run. D29, D51, D57 */
export const checkDiagrams = ({ files }: Runtime, { html, input }: DiagramPaths): Outcome => {
  if (html === undefined) return nothing
  return pipe(
    distinctFiles(files, [{ name: '--input', path: input }], [{ name: '--html', path: html }]),
    TE.chain(() => access(`write page ${html}`, () => files.checkWritable(html))),
  )
}

/** Writes the page and the diagrams that were asked for, without secrets. R20, D52 */
export const writeDiagrams = (
  { files }: Runtime,
  { html, svg }: DiagramPaths,
  evaluation: Evaluation,
  redact: Redact,
): Outcome =>
  pipe(
    html === undefined
      ? nothing
      : access(`write page ${html}`, () => files.replace(html, redact(page(evaluation)))),
    TE.chain(() =>
      svg === undefined
        ? nothing
        : access(`write diagrams ${svg}`, async () => {
            await files.makeFolder(svg)
            for (const [name, content] of svgFiles(evaluation))
              await files.replace(join(svg, name), redact(content))
          }),
    ),
  )

/** The diagrams by file name. Ids keep letters, digits, `_` and `-`; of names that then are equal the later ones are numbered. */
export const svgFiles = ({ questions }: Evaluation): ReadonlyMap<string, string> => {
  const named = new Map<string, string>()
  const stems = new Set<string>()
  for (const [id, figures] of questions) {
    const safe = id.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 80) || '-'
    const diagrams = diagramsOf(figures).filter(({ svg }) => svg !== '')
    let stem = safe
    // Some file systems take `A` and `a` for one name.
    for (let n = 2; stems.has(stem.toLowerCase()); n++) stem = `${safe}-${n}`
    stems.add(stem.toLowerCase())
    for (const { name, svg } of diagrams) named.set(`${stem}-${name}.svg`, `${asFile(svg)}\n`)
  }
  return named
}

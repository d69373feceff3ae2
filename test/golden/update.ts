/**
 * Rewrites the goldens and the pages made from them: `npm run golden:update [part of a name]…`.
 * Prints what changed; refused in CI, where a golden that differs is a failure.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { conversationFileOf, formatConversation } from '../../lib/replay/conversation'
import { pages, readPage } from '../support/documents'
import { root } from '../support/folders'
import { index, indexFile, read, refreshed } from './generated-pages'
import { record } from './golden-files'
import { runInProcess } from './run-in-process'
import { scenarios, strays } from './scenario'
import { drawPicture, pictureFile } from './terminal-picture'

const update = async (parts: ReadonlyArray<string>): Promise<boolean> => {
  const all = scenarios()
  const selected = all.filter(
    ({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)),
  )
  let clean = true
  for (const named of selected) {
    const outcome = await runInProcess(named)
    const talk = conversationFileOf(named)
    if (talk !== undefined && outcome.turns !== undefined)
      rewrite(talk, formatConversation(outcome.turns))
    clean &&= outcome.problems.length === 0
    for (const line of record(named.name, outcome)) console.log(line)
    for (const problem of outcome.problems) console.log(`PROBLEM ${named.name}: ${problem}`)
  }
  for (const file of strays(all).filter((path) => path.startsWith('golden/'))) {
    rmSync(join(root, file))
    console.log(`removed ${file}`)
  }
  const refreshedPages = pages.map(
    (page) => [join(root, page), refreshed(readPage(page), all)] as const,
  )
  const made = [
    [indexFile, index(all)] as const,
    [pictureFile, drawPicture(all)] as const,
    ...refreshedPages,
  ]
  for (const [file, text] of made) rewrite(file, text)
  return clean
}

/** Writes a file whose text has changed, and prints its name. */
const rewrite = (file: string, text: string): void => {
  if (read(file) === text) return
  writeFileSync(file, text)
  console.log(`changed ${file.slice(root.length + 1)}`)
}

if (process.env.CI) {
  console.error('goldens are not rewritten in CI')
  process.exitCode = 1
} else {
  process.exitCode = (await update(process.argv.slice(2))) ? 0 : 1
}

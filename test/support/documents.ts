import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './folders'

const topicsFolder = 'lib/help/topics'

/** The paths of README.md and of the topics of `svc help`. */
export const pages: ReadonlyArray<string> = [
  'README.md',
  ...readdirSync(join(root, topicsFolder)).map((name) => `${topicsFolder}/${name}`),
]

export const readPage = (path: string): string => readFileSync(join(root, path), 'utf8')

/**
 * Reads a code block of the pages. A comment such as `<!-- yaml: compose -->` above the block has its language and its name.
 * Throws if there is no such block.
 */
export const readExample = (language: string, name: string): string => {
  const pattern = new RegExp(`<!-- ${language}: ${name} -->\\n\`\`\`\\w+\\n([^]*?)\`\`\``)
  for (const page of pages) {
    const text = pattern.exec(readPage(page))?.[1]
    if (text !== undefined) return text
  }
  throw new Error(`no ${name} example`)
}

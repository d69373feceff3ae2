import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './folders'

const topicsFolder = 'lib/help/topics'

/** The pages that people read, by path: README.md and the topics of `svc help`. */
export const pages: ReadonlyArray<string> = [
  'README.md',
  ...readdirSync(join(root, topicsFolder)).map((name) => `${topicsFolder}/${name}`),
]

/** The text of a page. */
export const readPage = (path: string): string => readFileSync(join(root, path), 'utf8')

/**
 * The example of a name on the pages, which a comment such as `<!-- yaml: compose -->` stands above. Throws where
 * there is none.
 */
export const readExample = (kind: string, name: string): string => {
  const pattern = new RegExp(`<!-- ${kind}: ${name} -->\\n\`\`\`\\w+\\n([^]*?)\`\`\``)
  for (const page of pages) {
    const text = pattern.exec(readPage(page))?.[1]
    if (text !== undefined) return text
  }
  throw new Error(`no ${name} example`)
}

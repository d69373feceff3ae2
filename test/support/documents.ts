import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './folders'

const topicsFolder = 'lib/help/topics'

/** The paths of README.md and of the topics of `svc help`, in the folder of the project. */
export const pagePaths: ReadonlyArray<string> = [
  'README.md',
  ...readdirSync(join(root, topicsFolder)).map((name) => `${topicsFolder}/${name}`),
]

export const readPage = (path: string): string => readFileSync(join(root, path), 'utf8')

/**
 * Reads a code block of README.md or of a help topic. A comment above the block, such as `<!-- yaml: compose -->`, has the language
 * and the name of the block. Throws if there is no such block.
 */
export const readExample = (language: string, name: string): string => {
  const pattern = new RegExp(`<!-- ${language}: ${name} -->\\n\`\`\`\\w+\\n([\\s\\S]*?)\`\`\``)
  for (const path of pagePaths) {
    const block = pattern.exec(readPage(path))?.[1]
    if (block !== undefined) return block
  }
  throw new Error(`no example <!-- ${language}: ${name} -->`)
}

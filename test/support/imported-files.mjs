/** Lets Node import Markdown files as strings and tables (`.bin`) as paths, as the build does. Scripts run from the sources import this file first. */
import { readFileSync } from 'node:fs'
import { register } from 'node:module'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'

// Node loads this file again in the thread of its hooks, and calls `load` there for each import.
if (isMainThread) register(import.meta.url)

const exportDefault = (text) => ({
  format: 'module',
  source: `export default ${JSON.stringify(text)}`,
  shortCircuit: true,
})

export const load = (url, context, nextLoad) => {
  if (url.endsWith('.md')) return exportDefault(readFileSync(fileURLToPath(url), 'utf8'))
  if (url.endsWith('.bin')) return exportDefault(fileURLToPath(url))
  return nextLoad(url, context)
}

/** Lets Node import Markdown files as strings, as the build does. Scripts that Node runs from the sources import this file first. */
import { readFileSync } from 'node:fs'
import { register } from 'node:module'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'

// Node loads this file again in the thread of its hooks, and calls `load` there for each import.
if (isMainThread) register(import.meta.url)

export const load = (url, context, nextLoad) =>
  url.endsWith('.md')
    ? {
        format: 'module',
        source: `export default ${JSON.stringify(readFileSync(fileURLToPath(url), 'utf8'))}`,
        shortCircuit: true,
      }
    : nextLoad(url, context)

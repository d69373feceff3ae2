/**
 * Divides the program into files, because a command starts faster if Node loads little code, from few files.
 *
 * A part is a group of sources that load together. The lazy import of any of them, such as `import('./run/ask')`, loads the
 * whole part. esbuild writes a file for each part, and moves sources that several parts need into shared files:
 *
 * - the start of the program: the command line, errors and output. Every run of svc loads it
 * - the code for calls: providers and requests. Every part loads it
 * - the code for batches: rows, records and gates. The parts `commands` and `services` load it
 *
 * If every lazy import were a file by itself, esbuild would write 137 files: it also writes a shared file for every combination
 * of lazy imports. `svc version` would then load 30 files instead of 3, and take 1.35 times as long on Node 20.
 */
import fs from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'

const root = join(import.meta.dirname, '../..')

/**
 * Each part, with the sources that other code imports lazily. A command that is not listed belongs to `commands`. Any other lazy import
 * that is not listed is a part by itself, such as the HTTP client, tracing and the dialect `gemini`.
 *
 * A part exports what its sources export, so no two of them may export the same name.
 */
const parts = {
  /** Every call of a service needs these. Some are listed because the dialects `decisions` and `gemini` share them. */
  call: [
    'commands/program',
    'commands/run/ask',
    'commands/run/models',
    'lib/client/dialects/decode-answers',
    'lib/client/dialects/encode-document',
    'lib/client/dialects/decode-failure',
    'lib/client/dialects/questions',
    'lib/client/dialects/systemone',
    'lib/client/providers/other-keys',
    'lib/client/providers/table',
    'lib/codec/json/draft',
  ],
  help: [
    'commands/run/completion',
    'commands/run/help',
    'lib/cli/help',
    'lib/client/providers/missing-route',
    'lib/help/tickets',
    'lib/help/topics',
  ],
  /** The engines that answer in the process of a command, with the service that they answer through. */
  engines: [
    'lib/cli/attach-engine',
    'lib/service/engines/chat/open-chat',
    'lib/service/engines/embedded/open-embedded',
    'lib/service/engines/local/open-local',
    'lib/service/engines/own/open-own',
  ],
  /** These commands are large and seldom run. */
  services: [
    'commands/run/fixtures',
    'commands/run/label',
    'commands/run/mcp',
    'commands/run/review',
    'commands/run/select-engine',
    'commands/run/serve',
    'lib/replay/record/record-run',
    'lib/review/config',
    'lib/service/engines/replay/open-replay',
    'lib/service/engines/upstream/open-upstream',
  ],
  commands: [
    'lib/measure/evaluate/limits-junit',
    'lib/runs/batch/permute-choices',
    'lib/runs/gate/path-values',
    'lib/runs/gate/requirements',
    'lib/runs/policy/decode',
    'lib/runtime/node/output-file',
  ],
}

// Adds the commands that no part lists to `commands`.
const listed = new Set(Object.values(parts).flat())
for (const name of fs.readdirSync(join(root, 'commands/run'))) {
  const source = `commands/run/${basename(name, '.ts')}`
  if (!listed.has(source)) parts.commands.push(source)
}

/** Returns the name and the sources of the part that has a source. */
const findPart = (source) => {
  const listedPart = Object.entries(parts).find(([, sources]) => sources.includes(source))
  const [name, sources] = listedPart ?? [basename(source), [source]]
  return { name, sources }
}

/** The esbuild plugin that makes the parts: it replaces the target of each lazy import by a module that exports a whole part. */
export const makeParts = {
  name: 'make-parts',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^\./ }, ({ kind, path, importer }) => {
      if (kind !== 'dynamic-import' || importer.includes('node_modules')) return undefined
      const source = relative(root, resolve(dirname(importer), path)).replaceAll('\\', '/')
      const { name, sources } = findPart(source)
      return { path: name, namespace: 'part', pluginData: sources }
    })
    onLoad({ filter: /./, namespace: 'part' }, ({ pluginData: sources }) => {
      // Every part imports the code for calls, needed or not. Otherwise esbuild would divide that code into many shared files.
      const imports = parts.call.map((source) => `import './${source}'`)
      const exports = sources.map((source) => `export * from './${source}'`)
      return { contents: [...imports, ...exports].join('\n'), resolveDir: root }
    })
  },
}

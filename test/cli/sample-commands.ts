import * as E from 'fp-ts/Either'
import {
  type AnyCommand,
  type Context,
  createCommand,
  type Declaration,
} from '../../lib/cli/declaration'
import type { Flags } from '../../lib/cli/flags'

/** One run of a sample command. */
export interface SampleRun {
  readonly name: string
  readonly context: Context<Flags>
}

/** Creates commands that have every kind of flag between them. Each adds its runs to `runs` and prints its name. */
export const createSampleCommands = (runs: SampleRun[] = []): ReadonlyArray<AnyCommand> => {
  const declare = (
    name: string,
    summary: string,
    overrides: Partial<Declaration> = {},
  ): AnyCommand =>
    createCommand<Flags>(
      { name, summary, flags: [], examples: [], ...overrides },
      // `createCommand` takes a function that loads the command.
      async () => async (context: Context<Flags>) => {
        runs.push({ name, context })
        return E.right({ stdout: name })
      },
    )
  const jsonFile = { type: 'string', isFile: true, endings: ['.json'] } as const
  return [
    declare('ask', "Send one request: print the user's [JSON] response", {
      description: 'Sends one request.\n\n  {"state": "…"}\n\nPrints the response.',
      flags: [
        { name: 'file', short: 'f', ...jsonFile, summary: 'request JSON file' },
        { name: 'state', type: 'string', takesAtFile: true, summary: 'state text' },
        { name: 'noul', type: 'strings', placeholder: 'key=instructions', summary: 'a question' },
        { name: 'raw', short: 'r', type: 'bool', summary: 'print the body unchanged' },
        { name: 'xray', short: 'x', type: 'bool', summary: 'a second flag to bundle with -r' },
      ],
      examples: [
        { note: 'a file', command: 'svc ask -f request.json' },
        { note: 'a pipe', command: 'echo {} | svc ask' },
      ],
      usesNetwork: true,
    }),
    declare('completion', 'Print a completion script', {
      positionals: [
        { name: 'shell', summary: 'the shell', required: true, oneOf: ['bash', 'zsh'] },
      ],
    }),
    declare('help', 'Print help', {
      positionals: [
        {
          name: 'command',
          summary: 'words',
          takesRemaining: true,
          isCommandName: true,
          listWords: async (words) => (words.length === 0 ? ['engines'] : []),
        },
      ],
    }),
    declare('judge', 'Judge a run', {
      flags: [
        {
          name: 'input',
          short: 'i',
          ...jsonFile,
          default: '-',
          isPositional: true,
          summary: 'the run',
        },
      ],
    }),
    declare('models', 'List models', { usesNetwork: true }),
    declare('review', 'Judge tests', {
      usesNetwork: true,
      flags: [
        { name: 'units', ...jsonFile, default: 'u.json', summary: 'config file' },
        { name: 'out', type: 'string', isFolder: true, summary: 'folder' },
        { name: 'only', type: 'string', summary: 'a unit' },
        { name: 'json', type: 'bool', summary: 'JSON' },
        { name: 'min-cover', type: 'float', default: 0.6, summary: 'threshold' },
        { name: 'min-thorough', type: 'float', default: 2, summary: 'threshold' },
        { name: 'max-state-bytes', type: 'int', default: 100000, summary: 'budget' },
        { name: 'unit-timeout', type: 'duration', default: '2m0s', summary: 'limit' },
      ],
    }),
    declare('review init', 'Write a starter config', {
      flags: [{ name: 'units', type: 'string', default: 'u.json', summary: 'path to write' }],
    }),
    declare('version', 'Print the version'),
  ]
}

import { right } from 'fp-ts/Either'
import { type AnyCommand, type Context, command } from '../../lib/cli/declaration'
import type { Flags } from '../../lib/cli/flags'

/** What a sample command was run with. */
export interface Call {
  readonly name: string
  readonly context: Context<Flags>
}

/** Commands with every kind of flag, which note how they were run and do nothing else. */
export const sample = (calls: Call[] = []): ReadonlyArray<AnyCommand> => {
  const noting = (name: string) => async () => ({
    run: (context: Context<Flags>) => async () => {
      calls.push({ name, context })
      return right({ stdout: name })
    },
  })
  return [
    command<Flags>(
      {
        name: 'ask',
        summary: "Send one request: print the user's [JSON] response",
        description: 'Sends one request.\n\n  {"state": "…"}\n\nPrints the response.',
        flags: [
          {
            name: 'file',
            short: 'f',
            type: 'string',
            file: true,
            endings: ['.json'],
            summary: 'request JSON file',
          },
          { name: 'state', type: 'string', fileAfterAt: true, summary: 'state text' },
          { name: 'noul', type: 'strings', value: 'key=instructions', summary: 'a question' },
          { name: 'raw', short: 'r', type: 'bool', summary: 'print the body unchanged' },
          { name: 'xray', short: 'x', type: 'bool', summary: 'for bundles' },
        ],
        examples: [
          { note: 'a file', command: 'svc ask -f request.json' },
          { note: 'a pipe', command: 'echo {} | svc ask' },
        ],
        network: true,
      },
      noting('ask'),
    ),
    command<Flags>(
      {
        name: 'completion',
        summary: 'Print a completion script',
        flags: [],
        positionals: [
          { name: 'shell', summary: 'the shell', required: true, oneOf: ['bash', 'zsh'] },
        ],
        examples: [],
      },
      noting('completion'),
    ),
    command<Flags>(
      {
        name: 'help',
        summary: 'Print help',
        flags: [],
        positionals: [
          {
            name: 'command',
            summary: 'words',
            many: true,
            commands: true,
            offer: async ({ words }) => (words.length === 0 ? ['engines'] : []),
          },
        ],
        examples: [],
      },
      noting('help'),
    ),
    command<Flags>(
      {
        name: 'models',
        summary: 'List models',
        flags: [],
        examples: [],
      },
      noting('models'),
    ),
    command<Flags>(
      {
        name: 'review',
        summary: 'Judge tests',
        flags: [
          {
            name: 'units',
            type: 'string',
            default: 'u.json',
            file: true,
            endings: ['.json'],
            summary: 'config file',
          },
          { name: 'out', type: 'string', folder: true, summary: 'folder' },
          {
            name: 'only',
            type: 'string',
            summary: 'a unit',
            offer: async ({ passed }) => [`unit of ${passed('units') ?? 'svc-review.json'}`],
          },
          { name: 'json', type: 'bool', summary: 'JSON' },
          { name: 'min-cover', type: 'float', default: 0.6, summary: 'threshold' },
          { name: 'min-thorough', type: 'float', default: 2, summary: 'threshold' },
          { name: 'max-state-bytes', type: 'int', default: 100000, summary: 'budget' },
          { name: 'unit-timeout', type: 'duration', default: '2m0s', summary: 'limit' },
        ],
        examples: [],
      },
      noting('review'),
    ),
    command<Flags>(
      {
        name: 'review init',
        summary: 'Write a starter config',
        flags: [{ name: 'units', type: 'string', default: 'u.json', summary: 'path to write' }],
        examples: [],
      },
      noting('review init'),
    ),
    command<Flags>(
      {
        name: 'version',
        summary: 'Print the version',
        flags: [],
        examples: [],
      },
      noting('version'),
    ),
  ]
}

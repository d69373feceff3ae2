import type { Flags } from '../../lib/cli/flags'

/** Declares the flags that set up an engine, in `svc serve` or in a command that asks one. */
export const engineFlags = [
  {
    name: 'engine-permutations',
    type: 'int',
    placeholder: 'n',
    default: 1,
    min: 1,
    max: 20,
    summary: 'the number of orders of the options to average over (chat, local)',
  },
  {
    name: 'engine-temperature',
    type: 'float',
    placeholder: 't',
    default: 1,
    exclusiveMin: 0,
    summary: 'above 1 flattens probabilities, below 1 sharpens them (chat, local)',
  },
  {
    name: 'engine-context',
    type: 'int',
    placeholder: 'tokens',
    default: 4096,
    min: 512,
    summary: 'the maximum size of state and question (local)',
  },
  {
    name: 'engine-threads',
    type: 'int',
    placeholder: 'n',
    default: 0,
    min: 0,
    summary: 'the number of threads; 0 uses every core of the processor (local)',
  },
  {
    name: 'engine-body',
    type: 'string',
    placeholder: 'json',
    summary: 'a JSON object with more members for every request body (chat)',
  },
] as const satisfies Flags

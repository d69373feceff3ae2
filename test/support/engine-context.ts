import type { ClientContext } from '../../lib/cli/client'

/** The part of a command's context that concerns engines in this process: none of their flags is passed. */
export const engineContext: Pick<ClientContext, 'flags' | 'isPassed' | 'atEnd'> = {
  flags: {
    'engine-permutations': 1,
    'engine-temperature': 1,
    'engine-context': 4096,
    'engine-threads': 1,
    'engine-body': undefined,
  },
  isPassed: () => false,
  atEnd: () => undefined,
}

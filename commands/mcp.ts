import type { Flags } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'
import { engineFlags } from './flags/engine-flags'
import { policyFlag } from './flags/shared-flags'

const flags = [
  {
    name: 'require',
    type: 'strings',
    placeholder: 'expr',
    summary: 'a condition on the answers; results say if it holds (svc help gates)',
  },
  policyFlag,
  ...engineFlags,
] as const satisfies Flags

register(
  {
    name: 'mcp',
    summary: 'Give agents typed questions as tools, over stdio',
    description: `Speaks the Model Context Protocol on stdin and stdout. The host of an agent starts it. It has two tools: ask, about one \
state, and batch, about up to 100 states. Their results are the documents that svc ask and svc batch print. A failure is a result \
too: the error, and a sentence about what the agent can do.

The key comes from the environment. svc mcp ends with 0 if stdin is closed, and aborts the calls in flight. stdout carries only \
the protocol; logs go to stderr (--log-level).

With --require, the gate of a result says whether the condition holds. With --policy, a result says what to accept if its \
questions are those of the policy. --model overrides the model that the agent asks for.`,
    flags,
    examples: [
      { command: 'svc mcp', note: 'A host usually starts it: svc help agents.' },
      {
        command: `svc mcp --model svc-latest --require 'safe.noul >= 0.9'`,
        note: 'One model, and a condition on every question "safe".',
      },
    ],
    usesNetwork: true,
    unusedGlobals: ['pretty'],
    // Leaves time to abort the calls in flight.
    graceMs: 2000,
  },
  async () => (await import('./run/mcp')).runMcp,
)

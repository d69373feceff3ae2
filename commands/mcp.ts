import type { Flags } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'
import { policyFlag } from '../lib/runs/policy/policy'

const flags = [
  {
    name: 'require',
    type: 'strings',
    value: 'expr',
    summary: 'a condition that results tell of where its questions were asked (svc help gate)',
  },
  policyFlag,
] as const satisfies Flags

/** The flags of `svc mcp`. */
export type McpFlags = typeof flags

register(
  {
    name: 'mcp',
    summary: 'Give agents typed questions as tools, over stdio',
    description: `Speaks the Model Context Protocol on stdin and stdout, for an agent's host to start. It has \
two tools: ask, about one state, and batch, about up to 100. Their results are the documents that svc ask and svc \
batch print; failures are results too, with the envelope and a sentence about what the agent can do.

The key comes from the environment. It ends with 0 when stdin is closed, and gives up the calls in flight. stdout \
has nothing but the protocol; logs go to stderr (--log-level).

With --require a result tells by its gate whether the condition holds, which is no error, and with --policy what \
to accept, where the questions are those that the policy was made from. With --model the model that a call names \
does not count.`,
    flags,
    examples: [
      { command: 'svc mcp', note: 'Usually started by a host; its settings are in the README.' },
      {
        command: `svc mcp --model svc-latest --require 'safe.noul >= 0.9'`,
        note: 'One model, and a condition on every question "safe".',
      },
    ],
    network: true,
    without: ['pretty'],
    graceMs: 2000,
  },
  async () => (await import('./run/mcp')).runMcp,
)

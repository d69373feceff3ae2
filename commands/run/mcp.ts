import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { createClient } from '../../lib/cli/client'
import type { Context, Run } from '../../lib/cli/declaration'
import { keepConnections } from '../../lib/client/call/env'
import { exitCode } from '../../lib/failure/classify'
import { usage } from '../../lib/failure/failure'
import { serve } from '../../lib/mcp/server'
import { parseRequirements } from '../../lib/runs/gate/requirements'
import { readPolicy } from '../../lib/runs/policy/read'
import { reasonOf } from '../../lib/runtime/node/error-reason'
import type { McpFlags } from '../mcp'

/** Runs `svc mcp`: serves tools to an agent until stdin is closed. R26 */
export const runMcp: Run<McpFlags> = (context) => {
  const { runtime, build, flags, given, redact } = context
  return pipe(
    TE.fromEither(
      given('api-key')
        ? E.left(
            usage(
              `--api-key is for single calls; svc mcp takes the key from ${nameKeyVariable(context)}`,
            ),
          )
        : parseRequirements(flags.require),
    ),
    TE.bindTo('requirements'),
    TE.bind('policy', () => readPolicy({ policy: flags.policy, pin: false }, runtime.files)),
    TE.bind('client', () => createClient(context)),
    TE.chainFirstTaskK(() => async () => {
      // Nobody types the protocol by hand, so a terminal means that the command was started by mistake.
      if (runtime.stdin.isTTY)
        await runtime.stderr.write('svc: waiting for messages of an MCP client; Ctrl-D ends it\n')
    }),
    TE.chain(({ requirements, policy, client }) =>
      TE.tryCatch(
        () =>
          serve({
            ...{ runtime, redact, requirements, policy },
            client: keepConnections(client),
            version: build.version,
            keySource: context.key.key?.source,
            modelIsFixed: given('model'),
          }),
        (error) => usage(`read standard input: ${reasonOf(error)}`),
      ),
    ),
    // No error envelope, since stdout carries only the protocol.
    TE.map(() => (runtime.signal.aborted ? { exit: exitCode.interrupted } : {})),
  )
}

/** Names the variable that takes the key, or the page that tells which one does. P4 */
const nameKeyVariable = ({ target }: Context<McpFlags>): string =>
  target.provider === undefined
    ? 'SERVICE_API_KEY'
    : `the variable of ${target.provider.value}: svc help providers`

import * as E from 'fp-ts/Either'
import {
  createCommandLogger,
  type EngineCallFlag,
  type EngineCallFlags,
} from '../../lib/cli/client'
import type { CommandOutcome } from '../../lib/cli/command-result'
import type { ContextWith } from '../../lib/cli/declaration'
import { openClient } from '../../lib/cli/open-client'
import { keepConnections } from '../../lib/client/call/client'
import { type Failure, usage } from '../../lib/failure/failure'
import { classify, exitCodes, formatStderrLines } from '../../lib/failure/report'
import { serveMcp } from '../../lib/mcp/server'
import type { Session } from '../../lib/mcp/tool-call'
import { parseRequirements } from '../../lib/runs/gate/requirements'
import { readPolicyFlag } from '../../lib/runs/policy/answer-policies'

/** The options of `svc mcp`. */
interface McpOptions extends EngineCallFlags {
  readonly require: ReadonlyArray<string>
  readonly policy: string | undefined
}

type McpContext = ContextWith<McpOptions, 'api-key' | 'model' | EngineCallFlag>

/** Runs `svc mcp`: serves tools to an agent until stdin is closed. */
export const runMcp = async (context: McpContext): Promise<CommandOutcome> => {
  const { runtime } = context
  const session = await prepareSession(context)
  if (E.isLeft(session)) return session
  // A person at a terminal has probably started the command by mistake: programs speak its protocol.
  if (runtime.stdin.isTTY)
    await runtime.stderr.write('svc: waiting for messages of an MCP client; Ctrl-D ends it\n')
  const served = await serveMcp(session.right)
  if (E.isRight(served))
    return E.right(runtime.signal.aborted ? { exitCode: exitCodes.interrupted } : {})
  // An error document on stdout would not be a message of the protocol.
  await runtime.stderr.write(formatStderrLines(served.left))
  return E.right({ exitCode: classify(served.left).exitCode })
}

/** Prepares the session. A missing key does not prevent it: each call then fails with a message about the key. */
const prepareSession = async (context: McpContext): Promise<E.Either<Failure, Session>> => {
  const { runtime, build, tracer, redact, flags, isPassed } = context
  if (isPassed('api-key')) return E.left(createKeyFlagFailure(context))
  const requirements = parseRequirements(flags.require)
  if (E.isLeft(requirements)) return requirements
  // svc mcp has no flag --pin.
  const policy = await readPolicyFlag({ policy: flags.policy, pin: false }, runtime.files)()
  if (E.isLeft(policy)) return policy
  const client = await openClient(context)
  if (E.isLeft(client) && !isAboutKey(client.left)) return client
  const log = createCommandLogger(context)
  if (E.isLeft(client)) log.warning('there is no API key, so every call will fail')
  const hasEngine = E.isRight(client) && client.right.destination.engine !== undefined
  return E.right({
    runtime,
    log,
    tracer,
    redact,
    requirements: requirements.right,
    policy: policy.right,
    client: E.isLeft(client) ? client : E.right(keepConnections(client.right)),
    version: build.version,
    keySource: context.environmentKey.key?.source,
    // An engine in this process has only one model.
    overridesModel: isPassed('model') || hasEngine,
    // The records that did not fit into the result of the last batch: there has been no batch yet.
    overflow: { lines: [], model: undefined },
  })
}

const isAboutKey = (failure: Failure): boolean =>
  failure._tag === 'Usage' && (failure.about === 'key' || failure.about === 'key of provider')

const createKeyFlagFailure = ({ destinationSettings }: McpContext): Failure => {
  const { provider } = destinationSettings
  const variable =
    provider === undefined
      ? 'SERVICE_API_KEY'
      : `the variable of ${provider.value}: svc help providers`
  return usage(`--api-key is for single calls; svc mcp takes the key from ${variable}`)
}

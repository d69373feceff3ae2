import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import * as E from 'fp-ts/Either'
import { endSpan } from '../client/call/observe'
import { type Failure, internal, usage } from '../failure/failure'
import type { Span } from '../runtime/tracer'
import { runAskTool } from './ask-tool'
import { runBatchTool } from './batch-tool'
import { adviseAgent, createFailureResult, createResult } from './result'
import type { Session, ToolCall } from './tool-call'
import { instructions, tools } from './tools'
import { createTransport } from './transport'

/**
 * Serves the Model Context Protocol over stdio until the client closes its end or svc is interrupted. The client belongs to the
 * host, the program that runs the agent. Fails if stdin cannot be read, or if a response cannot be written.
 */
export const serveMcp = async (session: Session): Promise<E.Either<Failure, void>> => {
  const { log } = session
  const { transport, ended, flush } = createTransport(session.runtime, log)
  const handleCall = createCallHandler(session)
  const server = serveStdio(() => createServer(session, handleCall), {
    transport,
    // The message of the error may contain texts of the client, so only its name is logged.
    onerror: ({ name }) => log.warning('message not handled', { error: name }),
  })
  const end = await ended
  await server.close()
  return E.isLeft(end) ? end : flush()
}

/** Creates the SDK's server for the tools. It serves both generations of the protocol. */
const createServer = (session: Session, handleCall: CallHandler): Server => {
  const info = { name: 'svc', version: session.version }
  const server = new Server(info, { capabilities: { tools: {} }, instructions })
  server.setRequestHandler('tools/list', () => ({ tools: [...tools] }))
  server.setRequestHandler('tools/call', ({ params }, context) =>
    handleCall(params.name, params.arguments, context),
  )
  return server
}

/** Handles a call of the tool `name`. */
type CallHandler = (name: string, args: unknown, context: ServerContext) => Promise<CallToolResult>

/** The maximum number of calls in flight, which limits the memory for arguments and results. */
const maxCalls = 16

/** Creates the function that handles all calls of a session. It refuses a call while `maxCalls` are in flight. */
const createCallHandler = (session: Session): CallHandler => {
  let inFlight = 0
  return async (name, args, context) => {
    if (inFlight === maxCalls) {
      const failure = usage(`too many calls: at most ${maxCalls} may be in flight`)
      const advice = 'Wait for an answer before the next call.'
      return createFailureResult(failure, session.redact, advice)
    }
    inFlight += 1
    try {
      return await runTool(session, name, args, context)
    } finally {
      inFlight -= 1
    }
  }
}

const toolRunners = { ask: runAskTool, batch: runBatchTool } as const

/** Runs a tool and creates its result. Throws a protocol error if there is no such tool. */
const runTool = async (
  session: Session,
  name: string,
  args: unknown,
  context: ServerContext,
): Promise<CallToolResult> => {
  if (name !== 'ask' && name !== 'batch')
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      'Unknown tool: there are ask and batch',
    )
  const { client: serviceClient } = session
  const span = startToolSpan(session, name, context)
  const document = await catchException(async () => {
    if (E.isLeft(serviceClient)) return serviceClient
    const call: ToolCall = {
      client: { ...serviceClient.right, signal: context.mcpReq.signal, parent: span },
      reportProgress: createProgressReporter(context),
    }
    return toolRunners[name](session, args, call)
  })
  endSpan(span, E.isLeft(document) ? document.left : undefined)
  const result = E.isLeft(document) ? document : createResult(document.right, session.redact)
  if (E.isRight(result)) return result.right
  return createFailureResult(
    result.left,
    session.redact,
    adviseAgent(result.left, session.keySource),
  )
}

/** Starts the span of a tool call, below the span of the agent if the request names one. */
const startToolSpan = (session: Session, name: string, { mcpReq }: ServerContext): Span => {
  const { traceparent, tracestate } = mcpReq._meta ?? {}
  const spanName = `tools/call ${name}`
  const attributes = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name }
  if (typeof traceparent !== 'string') return session.tracer.start(spanName, { attributes })
  const agentSpan = typeof tracestate === 'string' ? { traceparent, tracestate } : { traceparent }
  return session.tracer.start(spanName, { server: agentSpan, attributes })
}

/** Creates the function that reports progress. It does nothing if the host has not requested progress. */
const createProgressReporter =
  ({ mcpReq }: ServerContext): ToolCall['reportProgress'] =>
  (done, total) => {
    const { progressToken } = mcpReq._meta ?? {}
    if (progressToken === undefined) return
    const params = { progressToken, progress: done, total }
    // A call must not fail because of its progress.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined)
  }

/** Turns an exception into an internal failure. The SDK would send its unredacted text to the client. */
const catchException = async <A>(
  run: () => Promise<E.Either<Failure, A>>,
): Promise<E.Either<Failure, A>> => {
  try {
    return await run()
  } catch (error) {
    return E.left(internal(error instanceof Error ? error.message : String(error)))
  }
}

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
import { runAskTool } from './ask-tool'
import { runBatchTool } from './batch-tool'
import { adviseOn, createFailureResult, createResult } from './result'
import type { Session } from './session'
import { instructions, tools } from './tools'
import { createTransport } from './transport'

/** Serves the Model Context Protocol over stdio until the client closes its end or svc is interrupted. */
export const serve = async (session: Session): Promise<void> => {
  const { log } = session
  const { transport, ended } = createTransport(session.runtime, log)
  const answer = limitCalls(session)
  const handle = serveStdio(() => createServer(session, answer), {
    transport,
    // The message of the error may contain texts of the client, so only its name is logged.
    onerror: ({ name }) => log.warning('message not handled', { error: name }),
  })
  try {
    await ended
  } finally {
    await handle.close()
  }
}

/** Creates the SDK's server for the tools. It serves both generations of the protocol. */
const createServer = (session: Session, answer: AnswerCall): Server => {
  const info = { name: 'svc', version: session.version }
  const server = new Server(info, { capabilities: { tools: {} }, instructions })
  server.setRequestHandler('tools/list', () => ({ tools: [...tools] }))
  server.setRequestHandler('tools/call', ({ params }, context) =>
    answer(params.name, params.arguments, context),
  )
  return server
}

/** Answers a tool call. */
type AnswerCall = (name: string, args: unknown, context: ServerContext) => Promise<CallToolResult>

/** The maximum number of calls in flight, which limits the memory for arguments and results. */
const maxCalls = 16

/** Creates the function that answers calls. It refuses a call while 16 are in flight. */
const limitCalls = (session: Session): AnswerCall => {
  let inFlight = 0
  return async (...call) => {
    if (inFlight === maxCalls) {
      const failure = usage(`too many calls: at most ${maxCalls} may be in flight`)
      return createFailureResult(
        failure,
        session.redact,
        'Wait for an answer before the next call.',
      )
    }
    inFlight += 1
    try {
      return await answerCall(session, ...call)
    } finally {
      inFlight -= 1
    }
  }
}

const runTool = { ask: runAskTool, batch: runBatchTool } as const

const answerCall = async (
  session: Session,
  name: string,
  args: unknown,
  { mcpReq }: ServerContext,
): Promise<CallToolResult> => {
  if (name !== 'ask' && name !== 'batch')
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      'Unknown tool: there are ask and batch',
    )
  const { progressToken: token, traceparent, tracestate } = mcpReq._meta ?? {}
  const caller = typeof traceparent === 'string' && {
    server: { traceparent, ...(typeof tracestate === 'string' && { tracestate }) },
  }
  const span = session.tracer.start(`tools/call ${name}`, {
    ...caller,
    attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name },
  })
  const progress = (done: number, total: number): void => {
    if (token === undefined) return
    const params = { progressToken: token, progress: done, total }
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined)
  }
  const outcome = await catchException(async () => {
    if (E.isLeft(session.client)) return session.client
    const client = { ...session.client.right, signal: mcpReq.signal, parent: span }
    return runTool[name](session, args, { client, progress })()
  })
  endSpan(span, E.isLeft(outcome) ? outcome.left : undefined)
  const result = E.isLeft(outcome) ? outcome : createResult(outcome.right, session.redact)
  return E.isRight(result)
    ? result.right
    : createFailureResult(result.left, session.redact, adviseOn(result.left, session.keySource))
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

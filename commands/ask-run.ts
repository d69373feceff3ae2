import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { dryRun } from '../lib/ask/dry-run'
import { selectMode } from '../lib/ask/mode'
import { readRequest } from '../lib/ask/request'
import type { Context, Result, Run } from '../lib/cli/declaration'
import { ask } from '../lib/client/client'
import { checkFlags, clientConfig, dryRunConfig } from '../lib/client/config'
import { clientEnv, userAgentOf } from '../lib/client/context'
import { type AskRequest, checkRequest } from '../lib/codec/request'
import { encodeResponse } from '../lib/codec/response'
import type { Failure } from '../lib/failure/failure'
import { print } from '../lib/json/draft'
import type { LogLevel } from '../lib/runtime/log'
import type { AskFlags } from './ask'

type AskContext = Context<AskFlags>

/** Sends one request and prints the answer. spec: `svc ask` */
export const run: Run<AskFlags> = (context) => {
  const { runtime, flags, globals } = context
  return pipe(
    TE.fromEither(checkFlags(globals, runtime.env)),
    TE.chain((level) =>
      pipe(
        TE.fromEither(selectMode(flags, () => runtime.stdin.isTTY)),
        TE.chain((mode) => readRequest(mode)(runtime)),
        TE.chain((request) =>
          flags['dry-run'] ? show(context, request) : send(context, level, request),
        ),
      ),
    ),
  )
}

/** The document's model, unless `--model` was passed. spec: `svc ask`, Model selection */
const modelOf = ({ given }: AskContext, request: AskRequest): string | undefined =>
  given('model') ? undefined : request.model

const send = (
  context: AskContext,
  level: LogLevel,
  request: AskRequest,
): TE.TaskEither<Failure, Result> =>
  pipe(
    TE.fromEither(clientConfig(context.globals, context.runtime.env)),
    TE.chain((config) =>
      pipe(
        ask(request, modelOf(context, request))(clientEnv(context, config, level)),
        TE.mapLeft(({ failure }) => failure),
      ),
    ),
    TE.map(({ value, body }) => ({
      stdout: context.flags.raw ? body : print(encodeResponse(value), context.globals.pretty),
    })),
  )

/** Fails where sending would fail before anything is sent, but for a missing key. */
const show = (context: AskContext, request: AskRequest): TE.TaskEither<Failure, Result> => {
  const { runtime, build, globals } = context
  return pipe(
    TE.fromEither(dryRunConfig(globals, runtime.env)),
    TE.chainFirstEitherK(() => checkRequest(request)),
    TE.map((config) => {
      const userAgent = userAgentOf(build)
      const shown = dryRun(config, userAgent, request, modelOf(context, request))
      return { stdout: print(shown, globals.pretty) }
    }),
  )
}

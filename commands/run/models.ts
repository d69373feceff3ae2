import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { CommandResult } from '../../lib/cli/command-result'
import type { Context } from '../../lib/cli/declaration'
import { makeSingleCall } from '../../lib/cli/single-call'
import { fetchModels } from '../../lib/client/call/client'
import { printHarmless } from '../../lib/codec/json/output'
import { encodeModels } from '../../lib/codec/models'
import type { Failure } from '../../lib/failure/failure'

/** Runs `svc models`: prints the model list. */
export const runModels = (context: Context<readonly []>): TE.TaskEither<Failure, CommandResult> =>
  pipe(
    makeSingleCall(context, ({ models }) => `GET ${models.path}`, fetchModels),
    TE.map(({ value }) => ({ stdout: printHarmless(encodeModels(value), context.globals.pretty) })),
  )

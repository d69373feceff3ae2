import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Run } from '../../lib/cli/declaration'
import { makeOnlyCall } from '../../lib/cli/single-call'
import { listModels } from '../../lib/client/call/client'
import { printHarmless } from '../../lib/codec/json/output'
import { encodeModels } from '../../lib/codec/models'

/** Runs `svc models`: prints the model list. spec: `svc models`, D2 */
export const runModels: Run<readonly []> = (context) =>
  pipe(
    makeOnlyCall(context, ({ models }) => `GET ${models.path}`, listModels),
    TE.map(({ value }) => ({ stdout: printHarmless(encodeModels(value), context.globals.pretty) })),
  )

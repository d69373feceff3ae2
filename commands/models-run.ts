import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { clientOf } from '../lib/cli/client'
import type { Run } from '../lib/cli/declaration'
import { models } from '../lib/client/client'
import { encodeModels } from '../lib/codec/models'
import { print } from '../lib/json/draft'

/** Prints the model list. spec: `svc models`, D2 */
export const run: Run<readonly []> = (context) =>
  pipe(
    TE.fromEither(clientOf(context)),
    TE.chain((client) =>
      pipe(
        models(client),
        TE.mapLeft(({ failure }) => failure),
      ),
    ),
    TE.map(({ value }) => ({ stdout: print(encodeModels(value), context.globals.pretty) })),
  )

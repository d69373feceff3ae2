import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Run } from '../lib/cli/declaration'
import { models } from '../lib/client/client'
import { checkFlags, clientConfig } from '../lib/client/config'
import { clientEnv } from '../lib/client/context'
import { encodeModels } from '../lib/codec/models'
import { print } from '../lib/json/draft'

/** Prints the model list. spec: `svc models`, D2 */
export const run: Run<readonly []> = (context) => {
  const { runtime, globals } = context
  return pipe(
    TE.fromEither(checkFlags(globals, runtime.env)),
    TE.chain((level) =>
      pipe(
        TE.fromEither(clientConfig(globals, runtime.env)),
        TE.chain((config) =>
          pipe(
            models(clientEnv(context, config, level)),
            TE.mapLeft(({ failure }) => failure),
          ),
        ),
      ),
    ),
    TE.map((listed) => ({ stdout: print(encodeModels(listed.value), globals.pretty) })),
  )
}

import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { type Failure, usage } from '../../../failure/failure'
import { parseBaseUrl } from '../../../provider/base-url'

/** The addresses of an upstream service's two operations. */
export interface Addresses {
  readonly ask: string
  readonly models: string
}

/**
 * Derives the addresses from `--engine-url`, which is either a base address or the whole address of one of the
 * two ask operations; the latter selects the dialect. Fails with a usage error. D39, D42
 */
export const upstreamAddresses = (url: string): E.Either<Failure, Addresses> =>
  pipe(
    parseBaseUrl(url),
    E.mapLeft((why) => usage(`invalid --engine-url ${why}`)),
    E.map((base) => {
      const whole = /^(.*)\/v1\/(?:questions|systemone)$/.exec(base)
      const root = whole?.[1] ?? base.replace(/\/v1$/, '')
      return {
        ask: whole === null ? `${root}/v1/questions` : base,
        models: `${root}/v1/models`,
      }
    }),
  )

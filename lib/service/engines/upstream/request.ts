import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { type Failure, usage } from '../../../failure/failure'
import { Entries, encode } from '../../../json/draft'
import { kindOf, membersOf, stringOf } from '../../../json/json'
import { parseJson } from '../../../json/parse'
import { parseBaseUrl } from '../../../provider/base-url'
import { isAlias } from '../../contract/engine'

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

/**
 * Sets the model of a request document that names none, or names an alias (D73). Everything else keeps its
 * text. What is not a JSON object is returned unchanged, for the upstream service to refuse. D7
 */
export const setModel = (body: Uint8Array, model: string): Uint8Array => {
  const document = parseJson(body)
  if (E.isLeft(document) || kindOf(document.right) !== 'object') return body
  const list = membersOf(document.right)
  const given = list.find(({ key }) => key === 'model')?.value
  const isNamed = given !== undefined && !(kindOf(given) === 'string' && isAlias(stringOf(given)))
  if (isNamed) return body
  const rest = list.filter(({ key }) => key !== 'model').map((m) => [m.name, m.value] as const)
  return encode(new Entries([['model', model], ...rest]))
}

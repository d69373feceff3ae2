import * as E from 'fp-ts/Either'
import * as t from 'io-ts'
import type { Draft } from '../json/draft'
import { kindOf, type Member, members } from '../json/json'
import { cutTo } from '../text/cut'
import { anyObject, type Codec, json, mostFaults, nonEmpty, string } from './combinators'
import { faultAt, longestName, requiredMessage } from './fault'

/** What an object with these members decodes to. */
type Shaped<R extends t.Props, O extends t.Props> = t.TypeOf<t.TypeC<R>> & t.TypeOf<t.PartialC<O>>

/**
 * A JSON object whose names are fixed in the program. An optional member may be absent, or null, which counts
 * as absent. Members of other names are ignored.
 */
export const object = <R extends t.Props, O extends t.Props>(required: R, optional: O) =>
  objectOf(required, optional, () => t.success(undefined))

/** An `object` in which a member of any other name is a fault; such faults come first. */
export const strictObject = <R extends t.Props, O extends t.Props>(required: R, optional: O) =>
  objectOf(required, optional, (others, context) =>
    others.length === 0
      ? t.success(undefined)
      : E.left(others.slice(0, mostFaults).map(unknownIn(context))),
  )

const unknownIn =
  (context: t.Context) =>
  ({ key, value }: Member): t.ValidationError => {
    const here = t.appendContext(context, key, json, value)
    return faultAt(value, here, 'unknown_field', `unknown field "${cutTo(key, longestName)}"`)
  }

const objectOf = <R extends t.Props, O extends t.Props>(
  required: R,
  optional: O,
  checkOthers: t.Validate<ReadonlyArray<Member>, unknown>,
): Codec<Shaped<R, O>> => {
  const inside = shape(required, optional)
  const names = new Set([...Object.keys(required), ...Object.keys(optional)])
  return new t.Type(
    'an object',
    inside.is,
    (value, context) => {
      const opened = anyObject.validate(value, context)
      if (E.isLeft(opened)) return opened
      const list = members(opened.right)
      const others = list.filter((one) => !names.has(one.key))
      const given = list.filter((one) => names.has(one.key) && kindOf(one.value) !== 'null')
      const fields = Object.fromEntries(given.map((one) => [one.key, one.value]))
      return both(
        checkOthers(others, context),
        inside.validate(fields, context),
        (_, shaped) => shaped,
      )
    },
    inside.encode,
  )
}

/**
 * A record with these members; an optional one may be absent. It is the intersection of `t.type` and
 * `t.partial`, without the step that io-ts's own intersection adds to the place of every fault.
 */
export const shape = <R extends t.Props, O extends t.Props>(
  required: R,
  optional: O,
): t.Type<Shaped<R, O>, Readonly<Record<string, Draft>>, unknown> => {
  const [whole, part] = [t.strict(required), t.exact(t.partial(optional))]
  const codecs = Object.entries<t.Mixed>({ ...required, ...optional })
  return new t.Type(
    'a record',
    (value): value is Shaped<R, O> => whole.is(value) && part.is(value),
    (value, context) =>
      both(whole.validate(value, context), part.validate(value, context), (all, some) => ({
        ...all,
        ...some,
      })),
    (value) =>
      Object.fromEntries(
        codecs.flatMap(([key, codec]) =>
          value[key] === undefined ? [] : [[key, codec.encode(value[key])]],
        ),
      ),
  )
}

/** Puts together what was decoded in two parts. The errors of both stay, in their order. */
const both = <A, B, C>(
  first: t.Validation<A>,
  second: t.Validation<B>,
  join: (first: A, second: B) => C,
): t.Validation<C> =>
  E.isRight(first) && E.isRight(second)
    ? t.success(join(first.right, second.right))
    : E.left([...errorsOf(first), ...errorsOf(second)])

/** What is wrong with a value; nothing where it was decoded. */
export const errorsOf = (decoded: t.Validation<unknown>): t.Errors =>
  E.isLeft(decoded) ? decoded.left : []

/** What a question and an answer have in common: a `type` that says how to read the rest. */
export const typed = object({ type: nonEmpty(string, requiredMessage) }, {})

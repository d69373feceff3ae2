import { sequenceT } from 'fp-ts/Apply'
import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as t from 'io-ts'
import { kindOf, type Member, members } from '../json/json'
import { anyObject, type Codec, json, mostFaults, nonEmpty, string } from './combinators'
import { faultAt, requiredMessage } from './fault'

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
    return faultAt(value, here, 'unknown_field', `unknown field "${key}"`)
  }

const objectOf = <R extends t.Props, O extends t.Props>(
  required: R,
  optional: O,
  checkOthers: t.Validate<ReadonlyArray<Member>, unknown>,
): Codec<Shaped<R, O>> => {
  const [whole, part] = [t.strict(required), t.exact(t.partial(optional))]
  const props: t.Props = { ...required, ...optional }
  const isNamed = ({ key }: Member): boolean => Object.hasOwn(props, key)
  return new t.Type(
    'an object',
    (value): value is Shaped<R, O> => whole.is(value) && part.is(value),
    (value, context) =>
      pipe(
        anyObject.validate(value, context),
        E.map(members),
        E.chain((list) => {
          const given = list.filter((one) => isNamed(one) && kindOf(one.value) !== 'null')
          const fields = Object.fromEntries(given.map((one) => [one.key, one.value]))
          const others = list.filter((one) => !isNamed(one))
          return sequenceT(inOrder)(
            checkOthers(others, context),
            whole.validate(fields, context),
            part.validate(fields, context),
          )
        }),
        E.map(([, all, some]) => ({ ...all, ...some })),
      ),
    (value) =>
      Object.fromEntries(
        Object.entries(props).flatMap(([key, codec]) =>
          value[key] === undefined ? [] : [[key, codec.encode(value[key])]],
        ),
      ),
  )
}

/** Puts together what was decoded part by part; the errors of all parts stay, in their order. */
export const inOrder = E.getApplicativeValidation<t.Errors>({
  concat: (first, second) => [...first, ...second],
})

/** What a question and an answer have in common: a `type` that says how to read the rest. */
export const typed = object({ type: nonEmpty(string, requiredMessage) }, {})

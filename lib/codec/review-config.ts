import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import type * as t from 'io-ts'
import { suggest } from '../failure/suggestion'
import { array, type Decoded, json, nonEmpty, string, withDefault } from './combinators'
import { firstFault, formatLoc, type Loc } from './fault'
import type { JsonValue } from './json/json'
import { itemsIn, memberIn, stringIn } from './json/json'
import { parseJson } from './json/parse'
import { strictObject } from './object'

const filled = nonEmpty(string)
const texts = withDefault(array(string), [])
const someTexts = nonEmpty(array(string))

const unitMembers = {
  name: filled,
  spec_heading: filled,
  implementation: someTexts,
  behaviors: someTexts,
  tests: texts,
  accepted: texts,
  notes: texts,
}

/** A unit as in the file. */
const UnitDocument = strictObject(unitMembers, { spec: string })

/** The configuration as in the file: its structure, without the rules between fields. */
const ConfigDocument = strictObject(
  { units: nonEmpty(array(UnitDocument)) },
  { $schema: json, description: string, spec: string },
)

const topMembers = ['units', 'spec', 'description']

/** A unit with all defaults filled in. Its paths are as in the file. */
export type ReviewUnit = Readonly<Decoded<typeof UnitDocument>> & { readonly spec: string }

/** The question ids that `accepted` may name besides behaviors. */
const acceptable: ReadonlyArray<string> = ['contradicts_spec', 'thoroughness', 'weakest_area']

/**
 * Decodes a configuration. Fails with a message about the first fault that names file, unit and field.
 */
export const decodeReviewConfig = (
  file: string,
  bytes: Uint8Array,
): E.Either<string, ReadonlyArray<ReviewUnit>> =>
  pipe(
    parseJson(bytes),
    E.mapLeft(({ message }) => `${file}: invalid JSON: ${message}`),
    E.chain((document) =>
      pipe(
        ConfigDocument.decode(document),
        E.mapLeft((errors) => `${file}: ${describeFault(document, errors)}`),
      ),
    ),
    E.chain((config) => checkUnits(file, config)),
  )

/** Describes the first fault. A unit is referred to by its name if it has one. */
const describeFault = (document: JsonValue, errors: t.Errors): string => {
  const { type, loc: place, message: cause } = firstFault(errors)
  const loc = type === 'unknown_field' ? place.slice(0, -1) : place
  const message = type === 'unknown_field' ? cause + suggestMember(place) : cause
  const [list, index, ...rest] = loc
  const name =
    list === 'units' && place.length > 2 ? findUnitName(document, Number(index)) : undefined
  const path = formatLoc(name === undefined ? loc : rest)
  const where = name === undefined ? '' : `unit "${name}": `
  return path === '' ? `${where}${message}` : `${where}${path}: ${message}`
}

/** Suggests the member that a name in place of an unknown one may mean. */
const suggestMember = (place: Loc): string => {
  const known = place.length > 1 ? [...Object.keys(unitMembers), 'spec'] : topMembers
  return suggest(String(place.at(-1)), known)
}

const findUnitName = (document: JsonValue, index: number): string | undefined => {
  const unit = itemsIn(memberIn(document, 'units'))[index]
  return stringIn(memberIn(unit, 'name')) || undefined
}

/** Checks the rules between fields, unit by unit. An empty `spec` counts as absent. */
const checkUnits = (
  file: string,
  config: Decoded<typeof ConfigDocument>,
): E.Either<string, ReadonlyArray<ReviewUnit>> => {
  const units: ReviewUnit[] = []
  const names = new Set<string>()
  for (const [index, unit] of config.units.entries()) {
    const { name, accepted, behaviors } = unit
    const fail = (why: string) => E.left(`${file}: unit "${name}": ${why}`)
    if (names.has(name)) return fail(`units[${index}].name: is already the name of another unit`)
    names.add(name)
    const spec = unit.spec || config.spec
    if (!spec) return E.left(`unit "${name}": "spec" is required at the top level or on every unit`)
    const known = new Set([...behaviors, ...acceptable])
    for (const [at, entry] of accepted.entries()) {
      const why = findEntryFault(entry, known)
      if (why !== undefined) return fail(`accepted[${at}]: "${entry}" ${why}`)
    }
    units.push({ ...unit, spec })
  }
  return E.right(units)
}

const findEntryFault = (entry: string, known: ReadonlySet<string>): string | undefined => {
  if (/^covers_\d+$/.test(entry))
    return 'is the id of a question, which moves when behaviors do: name the text of the behavior itself'
  if (known.has(entry)) return undefined
  return `is neither the text of one of the unit's behaviors nor one of ${acceptable.join(', ')}`
}

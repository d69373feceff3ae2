import * as E from 'fp-ts/Either'
import type * as t from 'io-ts'
import { suggest } from '../text/suggestion'
import { array, type Decoded, json, nonEmpty, string, withDefault } from './combinators'
import { firstFault, formatLoc, type Loc } from './fault'
import { itemsIn, type JsonValue, memberIn, stringIn } from './json/json'
import { parseJson } from './json/parse'
import { strictObject } from './object'

const requiredText = nonEmpty(string)
const optionalTexts = withDefault(array(string), [])
const requiredTexts = nonEmpty(array(string))

const unitMembers = {
  name: requiredText,
  spec_heading: requiredText,
  implementation: requiredTexts,
  behaviors: requiredTexts,
  tests: optionalTexts,
  accepted: optionalTexts,
  notes: optionalTexts,
}

/** A unit in the file: a part of the implementation, and the section of the spec that it is reviewed against. */
const unitDecoder = strictObject(unitMembers, { spec: string })

/** The structure of the file. `checkUnits` checks the rules between fields. */
const configDecoder = strictObject(
  { units: nonEmpty(array(unitDecoder)) },
  { $schema: json, description: string, spec: string },
)

/** The members of the document, without `$schema`, for suggestions. */
const topMembers = ['units', 'spec', 'description']

/** A decoded unit. `spec` is its own or that of the whole file. Paths are as in the file. */
export type ReviewUnit = Readonly<Decoded<typeof unitDecoder>> & { readonly spec: string }

/** The question ids that `accepted` may contain. It lists the flags that do not fail a unit: a question, or the text of a behavior. */
const acceptableIds: ReadonlyArray<string> = ['contradicts_spec', 'thoroughness', 'weakest_area']

/** Decodes a configuration. Fails with a message about the first fault. The message names the file, unless it is about a missing `spec`. */
export const decodeReviewConfig = (
  file: string,
  bytes: Uint8Array,
): E.Either<string, ReadonlyArray<ReviewUnit>> => {
  const document = parseJson(bytes)
  if (E.isLeft(document)) return E.left(`${file}: invalid JSON: ${document.left.message}`)
  const config = configDecoder.decode(document.right)
  if (E.isLeft(config)) return E.left(`${file}: ${describeFault(document.right, config.left)}`)
  return checkUnits(file, config.right)
}

/** Describes the first fault. Identifies a unit by its name, or by its index if it has none. */
const describeFault = (document: JsonValue, errors: t.Errors): string => {
  const fault = firstFault(errors)
  const isUnknown = fault.type === 'unknown_field'
  const message = isUnknown ? fault.message + suggestMember(fault.loc) : fault.message
  // The message names the unknown field itself.
  const loc = isUnknown ? fault.loc.slice(0, -1) : fault.loc
  const [list, index, ...member] = loc
  const isInUnit = list === 'units' && fault.loc.length > 2
  const name = isInUnit ? findUnitName(document, Number(index)) : undefined
  const path = formatLoc(name === undefined ? loc : member)
  const unit = name === undefined ? '' : `unit "${name}": `
  return path === '' ? `${unit}${message}` : `${unit}${path}: ${message}`
}

/** Suggests a known member that is similar to the unknown member at `loc`. */
const suggestMember = (loc: Loc): string => {
  // `loc` is `units[i].member` for a member of a unit, and `member` for one of the document.
  const knownMembers = loc.length > 1 ? [...Object.keys(unitMembers), 'spec'] : topMembers
  return suggest(String(loc.at(-1)), knownMembers)
}

const findUnitName = (document: JsonValue, index: number): string | undefined => {
  const unit = itemsIn(memberIn(document, 'units'))[index]
  return stringIn(memberIn(unit, 'name')) || undefined
}

/** Checks the rules between fields, unit by unit. An empty `spec` counts as absent. Fails with a message about the first fault. */
const checkUnits = (
  file: string,
  config: Decoded<typeof configDecoder>,
): E.Either<string, ReadonlyArray<ReviewUnit>> => {
  const units: ReviewUnit[] = []
  const names = new Set<string>()
  for (const [index, unit] of config.units.entries()) {
    const { name, accepted, behaviors } = unit
    const failUnit = (reason: string) => E.left(`${file}: unit "${name}": ${reason}`)
    if (names.has(name))
      return failUnit(`units[${index}].name: is already the name of another unit`)
    names.add(name)
    const spec = unit.spec || config.spec
    if (!spec) return E.left(`unit "${name}": "spec" is required at the top level or on every unit`)
    const validEntries = new Set([...behaviors, ...acceptableIds])
    for (const [entryIndex, entry] of accepted.entries()) {
      const fault = describeEntryFault(entry, validEntries)
      if (fault !== undefined) return failUnit(`accepted[${entryIndex}]: "${entry}" ${fault}`)
    }
    units.push({ ...unit, spec })
  }
  return E.right(units)
}

/** Describes why an entry of `accepted` is invalid; `undefined` if it is valid. */
const describeEntryFault = (
  entry: string,
  validEntries: ReadonlySet<string>,
): string | undefined => {
  if (/^covers_\d+$/.test(entry))
    return 'is the id of a question, which moves when behaviors do: name the text of the behavior itself'
  if (validEntries.has(entry)) return undefined
  return `is neither the text of one of the unit's behaviors nor one of ${acceptableIds.join(', ')}`
}

import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import type * as t from 'io-ts'
import { items, type Json, kindOf, member, stringOf } from '../json/json'
import { parseJson } from '../json/parse'
import { array, type Codec, nonEmptyArray, nonEmptyString, string } from './combinators'
import { faultsOf } from './fault'
import { object, type Shape } from './object'
import { dotted } from './reporter'

/** A list of texts. */
export const texts = array(string)

/** A list of one text or more. */
export const someTexts = nonEmptyArray(string)

interface UnitRequired {
  readonly name: string
  readonly spec_heading: string
  readonly implementation: ReadonlyArray<string>
  readonly behaviors: ReadonlyArray<string>
}

interface UnitOptional {
  readonly spec: string
  readonly tests: ReadonlyArray<string>
  readonly accepted: ReadonlyArray<string>
  readonly notes: ReadonlyArray<string>
}

/** The members of a unit. spec: Review configuration file, Unit */
export const unitShape: Shape<UnitRequired, UnitOptional> = {
  required: {
    name: nonEmptyString,
    spec_heading: nonEmptyString,
    implementation: someTexts,
    behaviors: someTexts,
  },
  optional: { spec: string, tests: texts, accepted: texts, notes: texts },
  unknown: 'ignore',
}

/** One unit as the file has it. */
export type UnitDocument = UnitRequired & Partial<UnitOptional>
const UnitDocument: Codec<UnitDocument> = object('a unit', unitShape)

interface ConfigRequired {
  readonly units: ReadonlyArray<UnitDocument>
}

interface ConfigOptional {
  readonly description: string
  readonly spec: string
}

/** The members of the configuration. spec: Review configuration file, Top level */
export const configShape: Shape<ConfigRequired, ConfigOptional> = {
  required: { units: nonEmptyArray(UnitDocument) },
  optional: { description: string, spec: string },
  unknown: 'ignore',
}

/** The configuration as the file has it: shapes only, without the rules between fields. */
export type ConfigDocument = ConfigRequired & Partial<ConfigOptional>

/** Configurations: members of other names are ignored. spec: Review configuration file */
export const ConfigDocument: Codec<ConfigDocument> = object('a configuration', configShape)

/** A unit with every default filled in. Paths are as the file has them. */
export interface ReviewUnit extends UnitRequired, UnitOptional {}

/** Question ids that `accepted` may name besides behaviors. */
const acceptable: ReadonlyArray<string> = ['contradicts_spec', 'thoroughness', 'weakest_area']

/**
 * The units of a configuration, or what is wrong with it: the first fault, with file, unit and
 * field. spec: Review configuration file, rules
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
        E.mapLeft((errors) => `${file}: ${placed(document, errors)}`),
      ),
    ),
    E.chain((config) => checked(file, config)),
  )

/** The first fault; a unit that has a name is named by it. */
const placed = (document: Json, errors: t.Errors): string => {
  const [first] = faultsOf(errors)
  if (first === undefined) return 'is invalid'
  const { loc, message } = first
  const [list, index, ...rest] = loc
  const name = list === 'units' && rest.length > 0 ? nameAt(document, Number(index)) : undefined
  const path = dotted(name === undefined ? loc : rest)
  const where = name === undefined ? '' : `unit "${name}": `
  return path === '' ? message : `${where}${path}: ${message}`
}

const nameAt = (document: Json, index: number): string | undefined => {
  const units = member(document, 'units')
  const unit = units && items(units)[index]
  const name = unit && member(unit, 'name')
  return name && kindOf(name) === 'string' ? stringOf(name) || undefined : undefined
}

/** The rules between fields, unit by unit. An empty `spec` counts as none. */
const checked = (
  file: string,
  config: ConfigDocument,
): E.Either<string, ReadonlyArray<ReviewUnit>> => {
  const units: ReviewUnit[] = []
  const names = new Set<string>()
  for (const [index, unit] of config.units.entries()) {
    const { name, accepted = [], behaviors, notes = [], tests = [] } = unit
    const fail = (why: string) => E.left(`${file}: unit "${name}": ${why}`)
    if (names.has(name)) return fail(`units[${index}].name: is already the name of another unit`)
    names.add(name)
    const spec = unit.spec || config.spec
    if (!spec) return E.left(`unit "${name}": "spec" is required at the top level or on every unit`)
    for (const [at, entry] of accepted.entries()) {
      const why = refusal(entry, behaviors)
      if (why !== undefined) return fail(`accepted[${at}]: "${entry}" ${why}`)
    }
    units.push({ ...unit, accepted, notes, spec, tests })
  }
  return E.right(units)
}

const refusal = (entry: string, behaviors: ReadonlyArray<string>): string | undefined => {
  if (/^covers_\d+$/.test(entry))
    return 'is the id of a question, which moves when behaviors do: name the text of the behavior itself'
  if (behaviors.includes(entry) || acceptable.includes(entry)) return undefined
  return `is neither the text of one of the unit's behaviors nor one of ${acceptable.join(', ')}`
}

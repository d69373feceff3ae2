import { Entries, toJson } from '../json/draft'
import { type Json, kindOf, membersOf } from '../json/json'
import { digestOf } from '../run/record'

/** Makes the state of a row out of the row; `undefined` where the row does not have what it takes. */
type MakeState = (row: Json) => Json | undefined

/** The most fields of a row for which leaving out two of them is tried, since that takes the square of this. */
const mostTried = 64

/**
 * Creates a check whether a row is the one that was asked about, by the digest of its state: the whole row, one of its
 * fields, or the row without one or two fields, which held labels (R2). What fits one row must fit all later ones.
 * R25, R29
 */
export const createRowCheck = () => {
  let make: MakeState | undefined
  return (row: Json, stateSha256: string | undefined): boolean => {
    if (stateSha256 === undefined) return true
    const fits = (one: MakeState): boolean => {
      const state = one(row)
      return state !== undefined && digestOf(state) === stateSha256
    }
    if (make !== undefined) return fits(make)
    for (const one of waysOf(row))
      if (fits(one)) {
        make = one
        return true
      }
    return false
  }
}

/** The ways in which a state may have been made of a row. */
function* waysOf(row: Json): Generator<MakeState> {
  yield (one) => one
  if (kindOf(row) !== 'object') return
  const names = membersOf(row).map(({ key }) => key)
  for (const name of names) yield (one) => fieldsOf(one).find(({ key }) => key === name)?.value
  for (const name of names) yield (one) => leaveOut(one, [name])
  if (names.length > mostTried) return
  for (const [i, first] of names.entries())
    for (const second of names.slice(i + 1)) yield (one) => leaveOut(one, [first, second])
}

const fieldsOf = (row: Json) => (kindOf(row) === 'object' ? membersOf(row) : [])

const leaveOut = (row: Json, names: ReadonlyArray<string>): Json =>
  toJson(
    new Entries(
      fieldsOf(row).flatMap(({ key, name, value }) => (names.includes(key) ? [] : [[name, value]])),
    ),
  )

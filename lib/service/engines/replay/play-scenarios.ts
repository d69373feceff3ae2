import { type RecordedResponse, squeezeJson } from '../../../replay/scenario'
import type { Passing } from '../../contract/engine'
import type { Recording } from './recordings'

/** Returns the recorded response to the next request at a scenario's address; `undefined` where nothing is recorded. */
type Next = (request: Passing) => RecordedResponse | undefined

/**
 * Plays each scenario at its address, `/<group>/<name>`, and at that address followed by the recorded prefix.
 * Its responses to one operation come in the order recorded and then start again. Where the scenario allows any
 * order, a request takes the first remaining response that was recorded for it. D74
 */
export const takeTurns = (recordings: ReadonlyArray<Recording>): Next => {
  const scenarios = new Map<string, Array<Recording>>()
  for (const recording of recordings) {
    for (const address of addressesOf(recording)) {
      const key = keyOf(recording.operation, address)
      scenarios.set(key, [...(scenarios.get(key) ?? []), recording])
    }
  }
  const left = new Map<string, Array<Recording>>()
  return ({ operation, prefix, body }) => {
    const key = keyOf(operation, prefix)
    const all = scenarios.get(key)
    if (all === undefined) return undefined
    const awaited = left.get(key) ?? []
    if (awaited.length === 0) awaited.push(...all)
    left.set(key, awaited)
    const at = all[0]?.anyOrder === true ? findFitting(awaited, squeezeJson(body)) : 0
    return awaited.splice(at, 1)[0]?.response
  }
}

const keyOf = (operation: string, address: string): string => `${operation} ${address}`

const addressesOf = ({ scenario, prefix }: Recording): ReadonlySet<string> =>
  new Set([`/${scenario}`, `/${scenario}${prefix}`])

/** The index of the first recording of this request; 0 where there is none. */
const findFitting = (awaited: ReadonlyArray<Recording>, request: string): number =>
  Math.max(
    0,
    awaited.findIndex((one) => one.request === request),
  )

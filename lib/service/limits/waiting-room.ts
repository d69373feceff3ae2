/** Counts the requests that wait for the engine or are in work. Each holds its body in memory. */
export interface WaitingRoom {
  /** Takes a place for a holder of a key. `false` if the room is full, or if the holder has its maximum of places. */
  readonly enter: (holder: string) => boolean
  /** Gives a place back. */
  readonly leave: (holder: string) => void
}

/** Creates a room of `maxRequests` places, of which one holder may have `maxPerHolder`. */
export const createWaitingRoom = (maxRequests: number, maxPerHolder: number): WaitingRoom => {
  const byHolder = new Map<string, number>()
  let taken = 0
  return {
    enter: (holder) => {
      const own = byHolder.get(holder) ?? 0
      if (taken >= maxRequests || own >= maxPerHolder) return false
      taken += 1
      byHolder.set(holder, own + 1)
      return true
    },
    leave: (holder) => {
      taken -= 1
      const left = (byHolder.get(holder) ?? 1) - 1
      if (left === 0) byHolder.delete(holder)
      else byHolder.set(holder, left)
    },
  }
}

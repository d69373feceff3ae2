/** The bytes that a service keeps in memory for its callers: bodies that come in, and answers that wait to be taken. */
export interface Held {
  /** Whether there is room for so many more. */
  readonly hasRoom: (bytes: number) => boolean
  /** Counts bytes, whether there is room or not. */
  readonly add: (bytes: number) => void
  readonly release: (bytes: number) => void
}

/** At most `most` bytes, of all callers together. D70 */
export const heldBytes = (most: number): Held => {
  let held = 0
  return {
    hasRoom: (bytes) => held + bytes <= most,
    add: (bytes) => {
      held += bytes
    },
    release: (bytes) => {
      held -= bytes
    },
  }
}

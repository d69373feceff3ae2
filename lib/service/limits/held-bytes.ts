/**
 * Counts the bytes that the service holds in memory for its callers: request bodies, and responses not yet
 * read.
 */
export interface Held {
  /** Whether so many more bytes fit under the limit. */
  readonly hasRoom: (bytes: number) => boolean
  /** Counts bytes as held, even above the limit. */
  readonly add: (bytes: number) => void
  readonly release: (bytes: number) => void
  /** How many of the bytes are for small bodies only, so that large ones that wait do not keep everybody else out. */
  readonly reserve: number
}

/** A counter with a limit of `most` bytes for all callers together. D70 */
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
    reserve: most / 16,
  }
}

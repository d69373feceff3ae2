/** Counts the bytes of request bodies and responses that the service holds in memory, for all callers together. */
export interface HeldBytes {
  /** Whether this many more bytes fit under the limit. */
  readonly hasRoom: (bytes: number) => boolean
  /** Counts bytes as held. It does not check the limit. */
  readonly add: (bytes: number) => void
  /** Counts bytes as no longer held. */
  readonly release: (bytes: number) => void
}

/** Starts counting, with a limit of `most` bytes. D80 */
export const newHeldBytes = (most: number): HeldBytes => {
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

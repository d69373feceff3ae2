import * as fc from '../support/fast-check'

/** svc must not hang on an input. The limit is generous, because the machine may be slow. */
const maxInputMs = 60_000

/**
 * Checks `property` on `inputCount` generated inputs. Fails if one of them takes more than `maxInputMs`. The message of a failure
 * shows the seed. Set `FUZZ_SEED` to it to repeat the inputs. `FUZZ_RUNS` multiplies the number of inputs.
 */
export const fuzz = async <A>(
  input: fc.Arbitrary<A>,
  { inputCount }: { readonly inputCount: number },
  property: (input: A) => Promise<void>,
): Promise<void> => {
  await fc.assert(fc.asyncProperty(input, property), {
    numRuns: inputCount * fc.inputFactor,
    timeout: maxInputMs,
    // With false, fast-check simplifies an input that fails.
    endOnFailure: false,
  })
}

/** A change to the bytes of a text: replaces `removedBytes` bytes by `inserted`. */
interface Change {
  /** The start of the change: 0 is the start of the text, 1 is its end. */
  readonly position: number
  readonly removedBytes: number
  readonly inserted: Uint8Array
}

const anyChange: fc.Arbitrary<Change> = fc.record({
  position: fc.double({ min: 0, max: 1, noNaN: true }),
  removedBytes: fc.oneof(fc.nat(3), fc.nat(60)),
  inserted: fc.oneof(
    fc.uint8Array({ maxLength: 3 }),
    fc
      .constantFrom(...'{}[":,\\\0-', '\\ud800', '\r\n', 'null', '1e999')
      .map((text) => Buffer.from(text)),
  ),
})

const applyChange = (bytes: Buffer, { position, removedBytes, inserted }: Change): Buffer => {
  const start = Math.floor(position * bytes.length)
  return Buffer.concat([bytes.subarray(0, start), inserted, bytes.subarray(start + removedBytes)])
}

/** Generates damaged texts: each has 1 to 4 changes, and in one of 8 cases its second half is missing. */
export const damage = (text: fc.Arbitrary<string>): fc.Arbitrary<Buffer> =>
  fc
    .tuple(text, fc.array(anyChange, { minLength: 1, maxLength: 4 }), fc.nat(7))
    .map(([intact, changes, variant]) => {
      const bytes = changes.reduce(applyChange, Buffer.from(intact))
      return variant === 0 ? bytes.subarray(0, bytes.length / 2) : bytes
    })

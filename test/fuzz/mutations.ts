import * as fc from '../support/fast-check'

/** One change to some bytes: its place (0 to 1), the number of bytes removed, and the bytes inserted. */
interface Change {
  readonly at: number
  readonly gone: number
  readonly put: Uint8Array
}

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  gone: fc.oneof(fc.nat(3), fc.nat(60)),
  put: fc.oneof(
    fc.uint8Array({ maxLength: 3 }),
    fc
      .constantFrom(...'{}[":,\\\0-', '\\ud800', '\r\n', 'null', '1e999')
      .map((text) => Buffer.from(text)),
  ),
})

/** Texts whose bytes were changed in a few places, cut off among them. */
export const mutate = (text: fc.Arbitrary<string>): fc.Arbitrary<Buffer> =>
  fc
    .tuple(text, fc.array(change, { minLength: 1, maxLength: 4 }), fc.nat(7))
    .map(([whole, changes, cut]) => {
      let bytes: Buffer = Buffer.from(whole)
      for (const { at, gone, put } of changes) {
        const place = Math.floor(at * bytes.length)
        bytes = Buffer.concat([bytes.subarray(0, place), put, bytes.subarray(place + gone)])
      }
      return cut === 0 ? bytes.subarray(0, bytes.length / 2) : bytes
    })

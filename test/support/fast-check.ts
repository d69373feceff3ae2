import * as fc from 'fast-check'

/** The seed of all generated inputs. It is constant, so that runs can be repeated; `FUZZ_SEED` overrides it. */
const seed = Number(process.env.FUZZ_SEED ?? 20260910)
fc.configureGlobal({ seed })

/** Every test multiplies its number of generated inputs by this factor: 1, or `FUZZ_RUNS`. */
export const inputFactor = Number(process.env.FUZZ_RUNS ?? 1)

/** The code points of UTF-16 surrogates, U+D800 to U+DFFF, which are no characters. */
const surrogates = { first: 0xd800, count: 0x800 }

const maxCodePoint = 0x10ffff

/**
 * Generates any character, as the unit `binary` of fast-check does. That unit makes a table of all 1.1 million characters,
 * which takes a second in each process.
 */
export const anyCharacter: fc.Arbitrary<string> = fc.nat(maxCodePoint - surrogates.count).map(
  (index) => String.fromCodePoint(index < surrogates.first ? index : index + surrogates.count),
  // The reverse function. fast-check needs it to simplify a failing text, which it does by the index of its character.
  (text) => {
    // The text is never empty, so this 0 is never used.
    const codePoint = String(text).codePointAt(0) ?? 0
    return codePoint < surrogates.first ? codePoint : codePoint - surrogates.count
  },
)

export * from 'fast-check'

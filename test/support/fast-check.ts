import * as fc from 'fast-check'

/** The seed of every generated input: the same on each run, unless `FUZZ_SEED` says otherwise. */
const seed = Number(process.env.FUZZ_SEED ?? 20260910)
fc.configureGlobal({ seed })

/** So many times as often everything generated is tried: 1, unless `FUZZ_RUNS` says otherwise. */
export const scale = Number(process.env.FUZZ_RUNS ?? 1)

/** UTF-16 keeps the numbers of so many characters, from this one on, for halves of pairs. */
const halves = { from: 0xd800, count: 0x800 }

/**
 * Any character: fast-check's unit `binary`, without the table of all 1.1 million of them, which takes a
 * second to make in every process that uses it.
 */
export const anyCharacter: fc.Arbitrary<string> = fc.nat(0x10ffff - halves.count).map(
  (place) => String.fromCodePoint(place < halves.from ? place : place + halves.count),
  (text) => {
    const number = String(text).codePointAt(0) ?? 0
    return number < halves.from ? number : number - halves.count
  },
)

export * from 'fast-check'

import * as fc from 'fast-check'

/** The seed of every generated input: the same on each run, unless `FUZZ_SEED` says otherwise. */
const seed = Number(process.env.FUZZ_SEED ?? 20260910)
fc.configureGlobal({ seed })

export * from 'fast-check'

/** Guesses how long the rest takes, from the time between answers. */
export interface LabelPace {
  /** Notes that an answer was given at this time, in milliseconds. */
  readonly note: (now: number) => void
  /** Estimates how long this many answers will take, such as `about 4 min left`; `''` before the third answer. */
  readonly describe: (steps: number) => string
}

/** A longer break than this is not counted as work, in milliseconds. */
const maxGapMs = 120_000

/** The times of this many answers count. */
const maxGaps = 20

export const createPace = (): LabelPace => {
  const gaps: number[] = []
  let last: number | undefined
  return {
    note: (now) => {
      if (last !== undefined && now - last <= maxGapMs) gaps.push(now - last)
      if (gaps.length > maxGaps) gaps.shift()
      last = now
    },
    describe: (steps) => {
      if (gaps.length < 2 || steps === 0) return ''
      const mean = gaps.reduce((total, gap) => total + gap, 0) / gaps.length
      const minutes = Math.ceil((mean * steps) / 60_000)
      return minutes < 90 ? `about ${minutes} min left` : `about ${Math.round(minutes / 60)} h left`
    },
  }
}

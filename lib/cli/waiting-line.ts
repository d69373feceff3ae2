import { sanitize } from '../failure/text/harmless'
import { erase, showTickingLine, spaceOf, type TickingLine } from '../runtime/node/transient-line'
import type { Clock, Output } from '../runtime/runtime'

/** A line on the terminal that shows what a call waits for. */
interface WaitingLine {
  /** Shows that attempt `number` (the first is 1) follows one that failed for this reason. */
  readonly retry: (number: number, why: string) => void
  /** Writes whole lines to the terminal, erasing the waiting line before. */
  readonly write: (lines: string) => Promise<void>
  /** Erases the line for good. Further calls do nothing. */
  readonly stop: () => Promise<void>
}

/** How long nothing is shown, in milliseconds. */
const patienceMs = 2000

/**
 * Creates a line that is redrawn each second: what is awaited, for how many seconds, which of `attempts` this
 * is, and why the last one failed.
 */
export const createWaitingLine = (
  output: Output,
  clock: Clock,
  { awaited, attempts, isShown }: WaitingFor,
): WaitingLine => {
  let [attempt, reason] = [1, '']
  let line: TickingLine | undefined
  const describeWait = (seconds: number): string => {
    const waited = Math.floor(patienceMs / 1000 + seconds)
    const line = `svc: ${awaited}: ${waited}s, attempt ${attempt} of ${attempts}`
    return line + fitReason(reason, spaceOf(output) - line.length)
  }
  // `isShown` asks whether there is a terminal. It is called only now because that takes Node a millisecond.
  const cancel = clock.timer(patienceMs, () => {
    if (isShown()) line = showTickingLine(output, clock, describeWait)
  })
  return {
    retry: (number, why) => {
      attempt = number
      // The line begins with the call that failed.
      reason = sanitize(why.replace(/^typesafe: /, '').replace(`${awaited} `, ''))
    },
    write: (lines) => output.write((line === undefined ? '' : erase) + lines),
    stop: async () => {
      cancel()
      const last = line
      line = undefined
      // A closed terminal shows no line.
      await last?.stop().catch(() => undefined)
    },
  }
}

/** Writes a reason in brackets into a space of `room` characters; `''` where too little of it would be left. */
const fitReason = (reason: string, room: number): string => {
  const space = room - ' ()'.length
  if (reason === '' || space < leastReason) return ''
  const shown = reason.length <= space ? reason : `${reason.slice(0, space - 3)}...`
  return ` (${shown})`
}

/** The fewest characters of a reason that tell anything. */
const leastReason = 12

/** What is awaited, such as `POST /v1/questions`, the most attempts, and whether a line can be shown. */
interface WaitingFor {
  readonly awaited: string
  readonly attempts: number
  readonly isShown: () => boolean
}

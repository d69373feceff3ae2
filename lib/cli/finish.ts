import * as E from 'fp-ts/Either'
import { classify, exitCode } from '../failure/classify'
import { envelope, stderrLines } from '../failure/envelope'
import { internal } from '../failure/failure'
import { mapTexts } from '../failure/map-texts'
import { reasonOf } from '../runtime/reason'
import type { Runtime } from '../runtime/runtime'
import type { Redact } from '../text/redact'
import { late, type OrLate } from './interrupt'
import type { Shown } from './shown-output'

/** Where the end of a run is written, and how long that may take after an interrupt. */
export interface End {
  readonly runtime: Runtime
  readonly orLate: OrLate
  readonly graceMs: number
  /** Takes secrets out of what is written. D52 */
  readonly redact: Redact
}

/** The one exit switch: writes what the outcome leaves on stdout and stderr, and gives its code. */
export const finish = async (end: End, outcome: Shown, pretty: boolean): Promise<number> => {
  if (E.isRight(outcome)) {
    const { stdout, exit = exitCode.ok } = outcome.right
    if (stdout === undefined) return exit
    return (await print(end, stdout)) ?? exit
  }
  const failure = mapTexts(outcome.left, end.redact)
  const cut = await print(end, envelope(failure, pretty))
  await complain(end, stderrLines(failure))
  return cut ?? classify(failure).exit
}

/** Writes text and a newline. An exit code of its own where it could not be written. */
const print = async (end: End, text: string | Uint8Array): Promise<number | undefined> => {
  const { stdout } = end.runtime
  const write = async (): Promise<void> => {
    if (typeof text === 'string') return stdout.write(`${text}\n`)
    // Two writes: a large body is not copied for the sake of one byte.
    await Promise.all([stdout.write(text), stdout.write('\n')])
  }
  try {
    const written = await end.orLate(end.graceMs, write())
    return written === late ? exitCode.interrupted : undefined
  } catch (error) {
    await complain(end, stderrLines(internal(`write stdout: ${reasonOf(error)}`)))
    return exitCode.usage
  }
}

/** Writes to stderr. Where that fails there is nobody left to tell. */
const complain = async ({ runtime, orLate, graceMs }: End, text: string): Promise<void> => {
  await orLate(graceMs, runtime.stderr.write(text)).catch(() => undefined)
}

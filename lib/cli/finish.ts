import * as E from 'fp-ts/Either'
import { classify, exitCode } from '../failure/classify'
import { writeEnvelope, writeStderrLines } from '../failure/envelope'
import { internal } from '../failure/failure'
import { mapTexts } from '../failure/map-texts'
import { reasonOf } from '../runtime/node/error-reason'
import type { Runtime } from '../runtime/runtime'
import type { Redact } from '../text/redact'
import { late, type OrLate } from './interrupt'
import type { Shown } from './shown-output'

/**
 * Where the outcome of a run is written, and how long that may take after an interrupt (`graceMs`, in
 * milliseconds).
 */
export interface End {
  readonly runtime: Runtime
  readonly orLate: OrLate
  readonly graceMs: number
  /** Redacts secrets in what is written. D52 */
  readonly redact: Redact
}

/**
 * Ends a run: writes its outcome to stdout and stderr, and resolves with the exit code. Nothing else in the
 * program does that.
 */
export const finish = async (end: End, outcome: Shown, pretty: boolean): Promise<number> => {
  if (E.isRight(outcome)) {
    const { stdout, exit = exitCode.ok } = outcome.right
    if (stdout === undefined) return exit
    return (await print(end, stdout)) ?? exit
  }
  const failure = mapTexts(outcome.left, end.redact)
  const cut = await print(end, writeEnvelope(failure, pretty))
  await complain(end, writeStderrLines(failure))
  return cut ?? classify(failure).exit
}

/** Writes text and a newline to stdout. Resolves with an exit code where that failed or was interrupted. */
const print = async (end: End, text: string | Uint8Array): Promise<number | undefined> => {
  const line = typeof text === 'string' ? `${text}\n` : Buffer.concat([text, Buffer.from('\n')])
  try {
    const written = await end.orLate(end.graceMs, end.runtime.stdout.write(line))
    return written === late ? exitCode.interrupted : undefined
  } catch (error) {
    await complain(end, writeStderrLines(internal(`write stdout: ${reasonOf(error)}`)))
    return exitCode.usage
  }
}

/** Writes to stderr. A failure is ignored, since nobody can be told about it. */
const complain = async ({ runtime, orLate, graceMs }: End, text: string): Promise<void> => {
  await orLate(graceMs, runtime.stderr.write(text)).catch(() => undefined)
}

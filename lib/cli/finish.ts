import * as E from 'fp-ts/Either'
import { classify, exitCode } from '../failure/classify'
import { writeEnvelope, writeStderrLines } from '../failure/envelope'
import { internal } from '../failure/failure'
import { mapTexts } from '../failure/map-texts'
import type { Redact } from '../failure/text/redact'
import { reasonOf } from '../runtime/node/error-reason'
import type { Runtime } from '../runtime/runtime'
import { adviseOnFailure, adviseOnResult, type HintContext, writeHint } from './hint'
import { notInTime, type WaitAtMost } from './interrupt'
import type { Printable } from './printable'

/**
 * Where the outcome of a run is written, and how long that may take after an interrupt (`graceMs`, in
 * milliseconds).
 */
export interface ProgramEnd {
  readonly runtime: Runtime
  readonly waitAtMost: WaitAtMost
  readonly graceMs: number
  /** Redacts secrets in what is written. */
  readonly redact: Redact
  /** What hints are made from; `undefined` where nobody is there to read them. */
  readonly hintContext: () => HintContext | undefined
}

/**
 * Ends a run: writes its outcome to stdout and stderr, and resolves with the exit code. Nothing else in the
 * program does that.
 */
export const finish = async (
  end: ProgramEnd,
  outcome: Printable,
  pretty: boolean,
): Promise<number> => {
  if (E.isRight(outcome)) {
    const { stdout, exit = exitCode.ok, hint } = outcome.right
    const cut = stdout === undefined ? undefined : await print(end, stdout)
    const context = hint && end.hintContext()
    if (hint !== undefined && context !== undefined)
      await complain(end, writeHint(adviseOnResult(hint, context)))
    return cut ?? exit
  }
  const failure = mapTexts(outcome.left, end.redact)
  const cut = await print(end, writeEnvelope(failure, pretty))
  const context = end.hintContext()
  const hint = context && adviseOnFailure(failure, context)
  await complain(end, writeStderrLines(failure) + (hint === undefined ? '' : writeHint(hint)))
  return cut ?? classify(failure).exit
}

/** Writes text and a newline to stdout. Resolves with an exit code where that failed or was interrupted. */
const print = async (end: ProgramEnd, text: string | Uint8Array): Promise<number | undefined> => {
  const line = typeof text === 'string' ? `${text}\n` : Buffer.concat([text, Buffer.from('\n')])
  try {
    const written = await end.waitAtMost(end.graceMs, end.runtime.stdout.write(line))
    return written === notInTime ? exitCode.interrupted : undefined
  } catch (error) {
    await complain(end, writeStderrLines(internal(`write stdout: ${reasonOf(error)}`)))
    return exitCode.usage
  }
}

/** Writes to stderr. A failure is ignored, since nobody can be told about it. */
const complain = async (
  { runtime, waitAtMost, graceMs }: ProgramEnd,
  text: string,
): Promise<void> => {
  await waitAtMost(graceMs, runtime.stderr.write(text)).catch(() => undefined)
}

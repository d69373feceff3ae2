import * as assert from 'uvu/assert'
import type { Ended } from '../main/run'
import * as fc from '../support/fast-check'

/** Exit codes by kind. */
const codes: Readonly<Record<string, number>> = {
  interrupted: 130,
  usage: 1,
  validation: 2,
  rate_limit: 5,
  auth: 3,
  server: 6,
  request: 4,
  connection: 7,
  invalid_response: 6,
}

/** Lines that may stand on stderr besides the message of a failure. */
const aside = /^(time=\S+ level=|svc: tracing (disabled|shutdown): |review: |batch: )/

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** No stack, and on stderr whole lines without control characters. */
const holdsForStreams = ({ code, stdout, stderr }: Ended): void => {
  assert.ok([0, 8, ...Object.values(codes)].includes(code), `exit code ${code}`)
  assert.match(stderr, /^(?:[^\u0000-\u0008\u000a-\u001f\u007f-\u009f]+\n)*$/)
  assert.not.match(stdout + stderr, /\n\s+at .*:\d+:\d+|node:internal/)
}

/** Checks a run of `svc doctor --table`, which prints its table even if its call failed. */
export const checkTableRun = (ended: Ended): void =>
  ended.stdout.startsWith('provider ') ? holdsForStreams(ended) : checkRun(ended)

/**
 * Checks a run with any input: a known kind with its code, one JSON document or text on stdout, one line on stderr
 * (two if the command line is refused), no stack, no control characters.
 */
export const checkRun = (ended: Ended): void => {
  const { code, stdout, stderr } = ended
  holdsForStreams(ended)
  assert.is(stdout.at(-1), '\n')
  const lines = stderr.split('\n').filter((line) => line !== '' && !aside.test(line))
  const document = /^[[{]/.test(stdout) ? (JSON.parse(stdout) as unknown) : undefined
  const error = isRecord(document) ? document.error : undefined
  if (code === 0 || code === 8) {
    assert.is(error, undefined)
    assert.equal(lines, [])
    return
  }
  if (!isRecord(error)) throw new Error(`no envelope with exit code ${code}: ${stdout}`)
  const { kind, status, request_id, message, ...rest } = error
  assert.equal(rest, {})
  assert.is(codes[String(kind)], code, `kind ${kind}`)
  assert.type(message, 'string')
  if (status !== undefined) assert.ok(Number.isInteger(status) && status !== 0)
  if (request_id !== undefined) assert.match(String(request_id), /./s)
  assert.match(lines[0] ?? '', /^svc: ./)
  const hint = "Run 'svc --help' for usage."
  assert.equal(lines.slice(1), kind === 'usage' && lines.length === 2 ? [hint] : [])
}

/** Checks a run whose stdout is rows, with any input: each line is one JSON document. There may be none. */
export const checkRowsRun = (ended: Ended): void => {
  const { stdout } = ended
  if (isEnvelope(stdout)) {
    checkRun(ended)
    return
  }
  holdsForStreams(ended)
  if (stdout === '') return
  assert.is(stdout.at(-1), '\n')
  for (const line of stdout.slice(0, -1).split('\n')) assert.type(JSON.parse(line), 'object')
}

const isEnvelope = (stdout: string): boolean =>
  /^\{\s*"error":/.test(stdout) && !stdout.trimEnd().includes('\n{')

/**
 * Checks `property` on `runs` generated inputs. The seed is fixed, is part of the failure's message and can be set
 * with `FUZZ_SEED`; `FUZZ_RUNS` multiplies the runs. An input that takes 20 s hangs.
 */
export const fuzz = async <A>(
  input: fc.Arbitrary<A>,
  runs: number,
  property: (input: A) => Promise<void>,
): Promise<void> => {
  await fc.assert(fc.asyncProperty(input, property), {
    numRuns: runs * fc.scale,
    timeout: 20_000,
    endOnFailure: false,
  })
}

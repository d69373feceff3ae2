import * as assert from 'uvu/assert'
import type { MainResult } from '../main/run-main'

/** The exit code of each kind of failure. The kind `internal` is missing, since it would be a bug of svc. */
const exitCodeByKind: Readonly<Record<string, number>> = {
  usage: 1,
  validation: 2,
  auth: 3,
  request: 4,
  rate_limit: 5,
  server: 6,
  invalid_response: 6,
  connection: 7,
  interrupted: 130,
}

/** Returns `true` for the exit code of a run without a failure: 0, or 8 if svc flagged an answer. */
const isSuccess = (code: number): boolean => code === 0 || code === 8

/** Matches log entries, warnings and progress, which may appear on stderr next to the message of a failure. */
const noticeLine = /^(time=\S+ level=|svc: tracing (disabled|shutdown): |review: |batch: )/

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/**
 * Fails if the exit code is unknown, or if stdout or stderr has a stack trace. Also fails if stderr has an incomplete line, an empty line,
 * or a control character other than tab.
 */
const assertNoCrash = ({ code, stdout, stderr }: MainResult): void => {
  assert.ok(isSuccess(code) || Object.values(exitCodeByKind).includes(code), `exit code ${code}`)
  assert.match(stderr, /^(?:[^\u0000-\u0008\u000a-\u001f\u007f-\u009f]+\n)*$/)
  assert.not.match(stdout + stderr, /\n\s+at .*:\d+:\d+|node:internal/)
}

/** Fails if the member `error` of stdout has an unknown member or an invalid value, or if its kind does not belong to the exit code. */
const assertError = (error: Readonly<Record<string, unknown>>, code: number): void => {
  const { kind, status, request_id, message, ...unexpected } = error
  assert.equal(unexpected, {})
  assert.is(exitCodeByKind[String(kind)], code, `kind ${kind}`)
  assert.type(message, 'string')
  if (status !== undefined) assert.ok(Number.isInteger(status) && status !== 0)
  if (request_id !== undefined) assert.match(String(request_id), /./s)
}

/**
 * Checks a run that prints one JSON document or a text. After a failure, stdout must be the failure as JSON, and stderr one line
 * with its message. After a usage error, a second line may name the help.
 */
export const assertDocumentRun = (result: MainResult): void => {
  const { code, stdout, stderr } = result
  assertNoCrash(result)
  assert.is(stdout.at(-1), '\n')
  const messages = stderr.split('\n').filter((line) => line !== '' && !noticeLine.test(line))
  const document = /^[[{]/.test(stdout) ? (JSON.parse(stdout) as unknown) : undefined
  const error = isRecord(document) ? document.error : undefined
  if (isSuccess(code)) {
    assert.is(error, undefined)
    assert.equal(messages, [])
    return
  }
  if (!isRecord(error)) throw new Error(`exit code ${code} without an error on stdout: ${stdout}`)
  assertError(error, code)
  // Without a message, `first` is empty, and the next check fails.
  const [first = '', ...further] = messages
  assert.match(first, /^svc: ./)
  if (further.length > 0) {
    assert.is(error.kind, 'usage')
    assert.equal(further, ["Run 'svc --help' for usage."])
  }
}

/** Checks a run of `svc doctor --table`, which prints its table even if its call failed. */
export const assertTableRun = (result: MainResult): void =>
  result.stdout.startsWith('provider ') ? assertNoCrash(result) : assertDocumentRun(result)

/** Returns `true` if stdout is only the error of a failed run, on one line or on several lines. */
const isErrorOnly = (stdout: string): boolean =>
  // A line that begins with a brace would be a second document.
  /^\{\s*"error":/.test(stdout) && !stdout.trimEnd().includes('\n{')

/** Checks a run that prints one JSON document per line, or nothing, or only an error. */
export const assertRowsRun = (result: MainResult): void => {
  const { stdout } = result
  if (isErrorOnly(stdout)) {
    assertDocumentRun(result)
    return
  }
  assertNoCrash(result)
  if (stdout === '') return
  assert.is(stdout.at(-1), '\n')
  for (const line of stdout.slice(0, -1).split('\n')) assert.type(JSON.parse(line), 'object')
}

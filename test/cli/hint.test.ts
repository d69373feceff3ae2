import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { adviseOnFailure, adviseOnResult, canHint, formatHint } from '../../lib/cli/hint'
import {
  apiError,
  commandLineFailure,
  connection,
  interrupted,
  usage,
} from '../../lib/failure/failure'
import type { Runtime } from '../../lib/runtime/runtime'
import { createSink } from '../support/runtime'

const test = suite('cli/hint')

const context = { command: 'ask', argv: ['ask', '--noul', "a=b c's"], passed: new Map() }
const doctorAdvice = 'to see where calls go, and with which key: svc doctor --table'

const createApiError = (status: number, message = '') =>
  apiError({ operation: 'POST /x', status, message, requestId: '' })

const canHintOnTerminal = (env: Runtime['env']) =>
  canHint({ stderr: createSink({ isTTY: true }), env })

test('shows hints on a terminal', () => {
  assert.is(canHintOnTerminal({}), true)
  assert.is(canHintOnTerminal({ CI: '', TERM: 'xterm' }), true)
})

test('shows no hints in a CI system, on a terminal that cannot erase lines, and in a file', () => {
  assert.is(canHintOnTerminal({ CI: 'true' }), false)
  assert.is(canHintOnTerminal({ TERM: 'dumb' }), false)
  assert.is(canHint({ stderr: createSink(), env: {} }), false)
})

const adviseOnConnection = (host: string, cause: string) =>
  adviseOnFailure(connection({ cause, host }), context)

test('advises to start a service if nothing listens at the default address', () => {
  assert.is(
    adviseOnConnection('127.0.0.1:8787', 'connection refused'),
    'ask without a service: --provider embedded; or start one on this machine: svc serve &',
  )
})

test('advises to run svc doctor after other failed connections', () => {
  assert.is(adviseOnConnection('127.0.0.1:8788', 'connection refused'), doctorAdvice)
  assert.is(adviseOnConnection('127.0.0.1:8787', 'connection reset'), doctorAdvice)
})

test('advises to run svc doctor after a refused key or an unknown path', () => {
  for (const status of [401, 403, 404])
    assert.is(adviseOnFailure(createApiError(status), context), doctorAdvice)
})

test('has no advice after other errors of the service', () => {
  for (const status of [400, 422, 429, 500])
    assert.is(adviseOnFailure(createApiError(status), context), undefined)
})

test('names the title of a web page that answered, and its server', () => {
  const failure = { ...createApiError(502, '<html>'), page: '502 Bad Gateway (server: nginx)' }
  assert.is(
    adviseOnFailure(failure, context),
    'a web page answered, not the service: 502 Bad Gateway (server: nginx)',
  )
})

test('advises on a missing key: the key of another provider, else --api-key for an address, else the variable', () => {
  const otherKeys = ['OPENAI_API_KEY is set: --provider openai would use it']
  const passed = new Map([['base-url', 'http://h']])
  const failure = usage('x', 'key')
  assert.is(adviseOnFailure(failure, { ...context, passed, otherKeys }), otherKeys[0])
  assert.is(
    adviseOnFailure(failure, { ...context, passed }),
    'pass the key of this address by --api-key',
  )
  assert.match(adviseOnFailure(failure, context) ?? '', 'export SERVICE_API_KEY=<key>')
  const providerFailure = usage('x', 'key of provider')
  assert.is(adviseOnFailure(providerFailure, { ...context, otherKeys }), otherKeys[0])
})

test('advises to list the models of the provider after an unknown model', () => {
  const failure = createApiError(404, 'no model x')
  assert.is(adviseOnFailure(failure, context), 'to see which models there are: svc models')
  assert.is(
    adviseOnFailure(failure, { ...context, provider: 'openai' }),
    'to see which models there are: svc models --provider openai',
  )
})

test('advises to read the help after a usage error', () => {
  assert.is(adviseOnFailure(usage('x'), context), 'svc help ask')
  assert.is(adviseOnFailure(usage('x'), { ...context, command: undefined }), 'svc help')
})

test('has no advice if the message already says what to do', () => {
  assert.is(adviseOnFailure(usage('x', 'request'), context), undefined)
  assert.is(adviseOnFailure(interrupted, context), undefined)
})

test('names the help of the command whose command line is wrong', () => {
  const failure = commandLineFailure('unknown flag: --nope')
  assert.is(adviseOnFailure(failure, context), 'svc help ask')
  assert.is(adviseOnFailure(failure, { ...context, command: undefined }), undefined)
})

test('repeats the command of an interrupted batch with --resume', () => {
  const advise = (...argv: ReadonlyArray<string>) => {
    const passed = new Map(argv.includes('--resume') ? [['resume', true]] : [])
    const hint = { about: 'resume', rows: 2, output: 'run.jsonl' } as const
    return adviseOnResult(hint, { ...context, argv, passed })
  }
  const start = 'run.jsonl has 2 rows; to continue: '
  assert.is(advise('batch', "it's"), `${start}svc batch 'it'\\''s' --resume`)
  assert.is(advise('batch', '--resume'), `${start}svc batch --resume`)
  assert.is(advise('batch', 'x'.repeat(2000)), `${start}the same command with --resume`)
})

test('escapes control characters in a hint', () => {
  assert.is(formatHint('a\n\u001b[2J'), 'hint: a\\x0a\\x1b[2J\n')
})

test.run()

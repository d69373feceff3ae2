import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { adviseOnFailure, adviseOnResult, canHint, formatHint } from '../../lib/cli/hint'
import { apiError, connection, framework, interrupted, usage } from '../../lib/failure/failure'
import { fakeRuntime } from '../support/runtime'

const test = suite('cli/hint')

const context = { command: 'ask', argv: ['ask', '--noul', "a=b c's"], passed: new Map() }

test('hints are for a terminal that can erase lines, outside of a CI system', () => {
  const on = (env: Readonly<Record<string, string>>, ...tty: ReadonlyArray<'stderr'>) =>
    canHint(fakeRuntime({ env, tty }).runtime)
  assert.ok(on({}, 'stderr') && on({ CI: '', TERM: 'xterm' }, 'stderr'))
  assert.not.ok(on({}) || on({ CI: 'true' }, 'stderr') || on({ TERM: 'dumb' }, 'stderr'))
})

test('if nothing listens at the default address, the hint is to start a service', () => {
  const refused = (host: string, cause = 'connection refused') =>
    adviseOnFailure(connection({ cause, host }), context)
  assert.is(refused('127.0.0.1:8787'), 'start a service on this machine: svc serve &')
  assert.is(refused('127.0.0.1:8788'), doctor)
  assert.is(refused('127.0.0.1:8787', 'connection reset'), doctor)
})

const doctor = 'to see where calls go, and with which key: svc doctor --table'

test('a refused key or an unknown path leads to svc doctor, other API errors to no hint', () => {
  const answered = (status: number) =>
    adviseOnFailure(apiError({ operation: 'POST /x', status, message: '', requestId: '' }), context)
  for (const status of [401, 403, 404]) assert.is(answered(status), doctor)
  for (const status of [400, 422, 429, 500]) assert.is(answered(status), undefined)
})

test('a usage error leads to help, a refused command line or a missing request to no hint', () => {
  assert.is(adviseOnFailure(usage('x'), context), 'svc help ask')
  assert.is(adviseOnFailure(usage('x'), { ...context, command: undefined }), 'svc help')
  assert.is(adviseOnFailure(usage('x', 'request'), context), undefined)
  assert.is(adviseOnFailure(framework('x'), context), undefined)
  assert.is(adviseOnFailure(interrupted, context), undefined)
})

test('after an interrupted batch the hint is the command that resumes it', () => {
  const resume = { about: 'resume', rows: 2, output: 'run.jsonl' } as const
  const advise = (...argv: ReadonlyArray<string>) => {
    const passed = new Map(argv.includes('--resume') ? [['resume', true]] : [])
    return adviseOnResult(resume, { ...context, argv, passed })
  }
  const rows = '2 rows stand in run.jsonl; to go on: '
  assert.is(advise('batch', "it's"), `${rows}svc batch 'it'\\''s' --resume`)
  assert.is(advise('batch', '--resume'), `${rows}svc batch --resume`)
  assert.is(advise('batch', 'x'.repeat(2000)), `${rows}the same command with --resume`)
})

test('a hint is one line that cannot move the cursor', () => {
  assert.is(formatHint('a\n\u001b[2J'), 'hint: a\\x0a\\x1b[2J\n')
})

test('an unknown model leads to the list of the provider that was asked', () => {
  const failure = apiError({
    operation: 'POST /x',
    status: 404,
    message: 'no model x',
    requestId: '',
  })
  const advise = (provider?: string) => adviseOnFailure(failure, { ...context, provider })
  assert.is(advise('openai'), 'to see which models there are: svc models --provider openai')
  assert.is(advise(), 'to see which models there are: svc models')
})

test.run()

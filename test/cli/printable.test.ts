import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Outcome } from '../../lib/cli/dispatch'
import { cleanOutput, makePrintable } from '../../lib/cli/printable'
import { secretsOf } from '../../lib/cli/secrets'
import { usage } from '../../lib/failure/failure'
import { Entries, toJson } from '../../lib/json/draft'
import { createRedact } from '../../lib/text/redact'

const test = suite('cli/printable')

const redact = createRedact(['kind-of-key'])

const stdoutOf = async (outcome: Outcome, pretty = false): Promise<unknown> => {
  const result = await makePrintable(outcome, redact, pretty)
  const stdout = result._tag === 'Right' ? result.right.stdout : undefined
  return stdout instanceof Uint8Array ? Buffer.from(stdout).toString() : stdout
}

const right = (stdout: string | Uint8Array | undefined): Outcome => ({
  _tag: 'Right',
  right: stdout === undefined ? {} : { stdout },
})

test('text loses secrets and commands, bytes stay', async () => {
  const text = 'a kind-of-key ##[debug]'
  assert.is(await stdoutOf(right(text)), 'a [redacted] #\\x23[debug]')
  assert.is(await stdoutOf(right(Buffer.from(text))), text)
  assert.is(await stdoutOf(right(undefined)), undefined)
  assert.is(await stdoutOf({ _tag: 'Left', left: usage(text) }), undefined)
})

test('a document loses them in its texts and in names from outside, and keeps names of its own', async () => {
  const document = {
    'kind-of-key': ['KIND-OF-KEY', 1, true, null],
    entries: new Entries([
      ['x kind-of-key', '##[a]'],
      [toJson('%6bind-of-key'), toJson(['\\kind-of-key', { 'kind-of-key': 1 }, 1])],
    ]),
    absent: undefined,
    literal: toJson(['\u202e', 'kind of key']),
  }
  assert.is(
    await stdoutOf({ _tag: 'Right', right: { stdout: { document } } }),
    '{"kind-of-key":["[redacted]",1,true,null],' +
      '"entries":{"x [redacted]":"\\u0023\\u0023[a]","[redacted]":["\\\\[redacted]",{"[redacted]":1},1]},' +
      '"literal":["\\u202e","kind of key"]}',
  )
  const pretty: Outcome = { _tag: 'Right', right: { stdout: { document: ['kind-of-key'] } } }
  assert.is(await stdoutOf(pretty, true), '[\n  "[redacted]"\n]')
})

test('what is written to an output loses them, too', async () => {
  const written: unknown[] = []
  const output = cleanOutput(
    { isTTY: true, columns: 7, write: async (data) => void written.push(data) },
    redact,
    false,
  )
  await output.write('\r\u001b[Kkind-of-key\n ::debug::a\n')
  await output.write(Buffer.from('##vso[a] kind-of-key\n'))
  assert.equal(written, ['\r\u001b[K[redacted]\n :\\x3adebug::a\n', '#\\x23vso[a] [redacted]\n'])
  assert.is(output.isTTY, true)
  assert.is(output.columns, 7)
})

test('secrets come from the environment and from flags, misspelt ones too', () => {
  const env = { SERVICE_API_KEY: ' a ', TRACING_API_KEY: 'b', SERVICE_ENGINE_API_KEY: 'c', X: 'x' }
  const argv = ['ask', '--api-key', 'd', '--api-key=e=f', '-api-key=g', '--apikey=h', '--key=i']
  const other = ['--noul=key=Is it?', '--api-keys-file=path', 'key=x', '--api-key']
  assert.equal(
    secretsOf([...argv, ...other], env).filter((secret) => secret !== ''),
    ['d', 'e=f', 'g', 'h', 'i', 'a', 'c', 'b'],
  )
})

test.run()

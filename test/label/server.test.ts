import { once } from 'node:events'
import { connect } from 'node:net'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { AnswerWriter } from '../../lib/label/answer-writer'
import { openTable } from '../../lib/label/open-table'
import type { PageQuestion } from '../../lib/label/protocol'
import { createLabelApp } from '../../lib/label/server'
import { startLabelling } from '../../lib/label/start'
import { systemError } from '../../lib/runtime/node/error-reason'
import { createMemoryFiles } from '../support/files'

const test = suite('the server of svc label')

const question: PageQuestion = {
  id: 'bill',
  text: 'Is it a bill?',
  options: [
    { value: 'yes', name: 'Yes', description: '' },
    { value: 'no', name: 'No', description: '' },
  ],
}
const secrets = { key: 'the-key', cookie: 'the-cookie', token: 'the-token' }
const host = '127.0.0.1:4000'
const cookie = `svc-label-4000=${secrets.cookie}`
const text = 'index,id,text,bill.label\n0,a,<script>alert(1)</script>,\n1,b,two,\n'

const serve = async () => {
  const { files, contents } = createMemoryFiles({ 't.csv': text })
  let isDiskFull = false
  const replace: typeof files.replace = async (path, data) => {
    if (isDiskFull) throw systemError('ENOSPC')
    await files.replace(path, data)
  }
  const opened = await openTable(files, 't.csv', undefined, ['bill'])
  if (E.isLeft(opened)) throw new Error('the table cannot be opened')
  const writer = new AnswerWriter({ ...files, replace }, opened.right, {
    questions: [question],
    seed: 0,
    again: 0,
  })
  const page = new Map([['/', { type: 'text/html', content: '<meta content="{token}">' }]])
  const app = createLabelApp(writer, page, secrets, 4000)
  const call = async (path: string, body?: object, headers: Record<string, string> = {}) => {
    const response = await app.request(`http://${host}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { host, cookie, 'x-svc-token': secrets.token, ...headers },
      body: body && JSON.stringify(body),
    })
    return { status: response.status, headers: response.headers, body: await response.text() }
  }
  return {
    call,
    readFile: () => contents()['t.csv'],
    changeFile: (changed: string) => files.replace('t.csv', changed),
    fillDisk: (isFull: boolean) => {
      isDiskFull = isFull
    },
    finished: writer.finished,
  }
}

const label = (value: string, step = 0, tab = 1) => ({
  tab,
  step,
  answer: { kind: 'label', value },
  note: '',
})

test('the key of the address becomes a cookie that scripts and other sites cannot use', async () => {
  const { call } = await serve()
  const { status, headers } = await call('/?key=the-key', undefined, { cookie: '' })
  assert.is(status, 303)
  assert.is(headers.get('location'), '/')
  assert.match(
    headers.get('set-cookie') ?? '',
    /^svc-label-4000=the-cookie;.*HttpOnly; SameSite=Strict$/,
  )
})

test('the key works once', async () => {
  const { call } = await serve()
  await call('/?key=the-key', undefined, { cookie: '' })
  assert.is((await call('/?key=the-key', undefined, { cookie: '' })).status, 403)
  assert.is(
    (await call('/?key=the-key')).status,
    303,
    'the browser that has the cookie may use it again',
  )
})

test('shows nothing without the cookie, or with a guessed key', async () => {
  const { call } = await serve()
  for (const path of ['/', '/?key=guess', '/answers.csv', '/page.js'])
    assert.is((await call(path, undefined, { cookie: 'svc-label-4000=guess' })).status, 403, path)
})

test('another name of this machine is refused, so that a site cannot rebind its name', async () => {
  const { call } = await serve()
  assert.is((await call('/', undefined, { host: 'evil.example:4000' })).status, 403)
  assert.is((await call('/', undefined, { host: '127.0.0.1:4001' })).status, 403)
})

test('a page of another origin is refused', async () => {
  const { call, readFile } = await serve()
  for (const origin of ['http://evil.example', 'http://127.0.0.1:4001', 'null'])
    assert.is((await call('/api/answer', label('yes'), { origin })).status, 403)
  assert.is(readFile(), text)
  assert.is((await call('/api/open', {}, { origin: `http://${host}` })).status, 200)
})

test('a call without the token of the page is refused', async () => {
  const { call, readFile } = await serve()
  assert.is((await call('/api/answer', label('yes'), { 'x-svc-token': '' })).status, 403)
  assert.is((await call('/api/answer', label('yes'), { 'x-svc-token': 'guess' })).status, 403)
  assert.is(readFile(), text)
})

test('the page may load from its own origin only', async () => {
  const { headers, body } = await (await serve()).call('/')
  assert.match(
    headers.get('content-security-policy') ?? '',
    /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  )
  assert.is(headers.get('x-content-type-options'), 'nosniff')
  assert.is(body, '<meta content="the-token">')
})

test('an answer is in the file when the call returns', async () => {
  const { call, readFile } = await serve()
  const { step } = JSON.parse((await call('/api/open', {})).body)
  const { status, body } = await call('/api/answer', label('yes'))
  assert.is(status, 200)
  assert.is(JSON.parse(body).progress.labelled, 1)
  const row = step.fields.find(({ name }: { name: string }) => name === 'id').text
  assert.match(readFile() ?? '', new RegExp(`,${row},.*,yes$`, 'm'))
})

test('answers that come together are written one after the other', async () => {
  const { call, readFile } = await serve()
  await call('/api/open', {})
  await Promise.all([call('/api/answer', label('yes', 0)), call('/api/answer', label('no', 1))])
  assert.is(readFile()?.match(/,(yes|no)$/gm)?.length, 2)
})

test('only the page that was opened last may write, and both are told', async () => {
  const { call, readFile } = await serve()
  assert.is(JSON.parse((await call('/api/open', {})).body).tookOver, false)
  assert.is(JSON.parse((await call('/api/open', {})).body).tookOver, true)
  const { status, body } = await call('/api/answer', label('yes', 0, 1))
  assert.is(status, 409)
  assert.is(JSON.parse(body).refusal, 'other tab')
  assert.is(readFile(), text)
})

test('does not touch a table that another program changed, and offers the answers', async () => {
  const { call, readFile, changeFile } = await serve()
  await call('/api/open', {})
  await call('/api/answer', label('yes', 0))
  await changeFile('index,id,text,bill.label\nchanged\n')
  const { status, body } = await call('/api/answer', label('no', 1))
  assert.is(status, 409)
  assert.is(JSON.parse(body).refusal, 'file changed')
  assert.is(readFile(), 'index,id,text,bill.label\nchanged\n')
  assert.match(
    (await call('/answers.csv')).body,
    /^index,id,question,label,note\n[01],[ab],bill,yes,\n$/,
  )
})

test('on a full disk nothing is lost, and the same answer is written later', async () => {
  const { call, readFile, fillDisk } = await serve()
  await call('/api/open', {})
  fillDisk(true)
  const { body } = await call('/api/answer', label('yes'))
  assert.equal(JSON.parse(body), {
    refusal: 'not written',
    message: 'The table cannot be written: no space left on device.',
  })
  assert.is(readFile(), text)
  fillDisk(false)
  assert.is((await call('/api/answer', label('yes'))).status, 200)
})

test('messages that the page does not send are 400, and large ones 413', async () => {
  const { call } = await serve()
  await call('/api/open', {})
  assert.is((await call('/api/answer', { tab: 1 })).status, 400)
  assert.is((await call('/api/undo', {})).status, 400)
  const note = 'x'.repeat(65 << 10)
  assert.is((await call('/api/answer', { ...label('yes'), note })).status, 413)
})

test('done ends the session', async () => {
  const { call, finished } = await serve()
  await call('/api/open', {})
  assert.is((await call('/api/finish', { tab: 1 })).status, 200)
  await finished
})

test('svc label ends although a browser holds a connection on which it has sent nothing', async () => {
  const { files } = createMemoryFiles({ 't.csv': text })
  const options = { input: 't.csv', output: undefined, questions: [question], seed: 0, again: 0 }
  const started = await startLabelling({ ...options, port: 0 }, files, async () => new Map())
  if (E.isLeft(started)) throw new Error('the server did not start')
  const socket = connect(Number(new URL(started.right.address).port), '127.0.0.1')
  await once(socket, 'connect')
  const ended = once(socket, 'close')
  await Promise.all([started.right.close(), ended])
})

test.run()

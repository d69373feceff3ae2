import { once } from 'node:events'
import { connect } from 'node:net'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { AnswerWriter } from '../../lib/label/answer-writer'
import { createLabelApp } from '../../lib/label/label-app'
import { startLabelServer } from '../../lib/label/label-server'
import { openTable } from '../../lib/label/open-table'
import type { PageQuestion } from '../../lib/label/protocol'
import { readOneImage } from '../../lib/runs/batch/image-files'
import { createSystemError } from '../../lib/runtime/node/error-reason'
import { createMemoryFiles } from '../support/files'

const test = suite('the HTTP app of svc label')

const question: PageQuestion = {
  id: 'bill',
  type: 'noul',
  text: 'Is it a bill?',
  options: [
    { value: 'yes', name: 'Yes', description: '' },
    { value: 'no', name: 'No', description: '' },
  ],
}
const secrets = { key: 'the-key', cookie: 'the-cookie', token: 'the-token' }
const host = '127.0.0.1:4000'
const cookie = `svc-label-4000=${secrets.cookie}`
const tableText =
  'index,id,text,photo,bill.label\n0,a,<script>alert(1)</script>,a.png,\n1,b,two,../b.png,\n'

/** The first bytes of a PNG file. */
const pngBytes = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

/**
 * Creates the app for a table in memory, and functions that send requests to it. The requests have the headers of the page, unless
 * `headers` replaces them.
 */
const createApp = async () => {
  const { files, contents } = createMemoryFiles({ 't.csv': tableText, 'a.png': pngBytes })
  let isDiskFull = false
  const replace = async (data: string | Uint8Array): Promise<void> => {
    if (isDiskFull) throw createSystemError('ENOSPC')
    await files.replace('t.csv', data)
  }
  const opened = await openTable(files, {
    input: 't.csv',
    output: undefined,
    questions: [question],
    form: { hasQuotes: true },
    imageFields: ['photo'],
  })
  if (E.isLeft(opened)) throw new Error('the table cannot be opened')
  const writer = new AnswerWriter(files, { replace }, opened.right, {
    questions: [question],
    seed: 0,
    repeatedRowCount: 0,
    imageFields: ['photo'],
    nextCommand: '',
  })
  const pageFiles = new Map([['/', { type: 'text/html', content: '<meta content="{token}">' }]])
  const readImage = (path: string) =>
    readOneImage(
      files,
      { input: 't.csv', followLinks: false },
      { name: 'photo', path },
      new AbortController().signal,
    )
  const app = createLabelApp({ writer, files: pageFiles, secrets, port: 4000, readImage })
  const send = async (
    path: string,
    init: RequestInit,
    headers: Readonly<Record<string, string>>,
  ) => {
    const response = await app.request(`http://${host}${path}`, {
      ...init,
      headers: { host, cookie, 'x-svc-token': secrets.token, ...headers },
    })
    return { status: response.status, headers: response.headers, body: await response.text() }
  }
  return {
    get: (path: string, headers = {}) => send(path, {}, headers),
    post: (path: string, body: object, headers = {}) =>
      send(path, { method: 'POST', body: JSON.stringify(body) }, headers),
    readFile: () => contents()['t.csv'],
    changeFile: (changed: string) => files.replace('t.csv', changed),
    setDiskFull: (isFull: boolean) => {
      isDiskFull = isFull
    },
    finished: writer.finished,
  }
}

/** Creates the body of `POST /api/answer`. */
const createAnswer = (value: string, stepIndex = 0, tab = 1) => ({
  tab,
  stepIndex,
  answer: { kind: 'label', value },
  note: '',
})

test('exchanges the key of the address for a cookie that scripts and other sites cannot use', async () => {
  const { get } = await createApp()
  const { status, headers } = await get('/?key=the-key', { cookie: '' })
  assert.is(status, 303)
  assert.is(headers.get('location'), '/')
  assert.match(
    headers.get('set-cookie') ?? '',
    /^svc-label-4000=the-cookie;.*HttpOnly; SameSite=Strict$/,
  )
})

test('accepts the key once', async () => {
  const { get } = await createApp()
  await get('/?key=the-key', { cookie: '' })
  assert.is((await get('/?key=the-key', { cookie: '' })).status, 403)
  assert.is(
    (await get('/?key=the-key')).status,
    303,
    'the browser that has the cookie may use it again',
  )
})

test('shows nothing without the cookie, or with a wrong key', async () => {
  const { get } = await createApp()
  for (const path of ['/', '/?key=guess', '/answers.csv', '/page.js'])
    for (const wrongCookie of ['', 'svc-label-4000=guess'])
      assert.is((await get(path, { cookie: wrongCookie })).status, 403, path)
})

test('refuses another Host, because a site could point its name to this address', async () => {
  const { get } = await createApp()
  assert.is((await get('/', { host: 'evil.example:4000' })).status, 403)
  assert.is((await get('/', { host: '127.0.0.1:4001' })).status, 403)
})

test('refuses requests of another origin', async () => {
  const { post, readFile } = await createApp()
  for (const origin of ['http://evil.example', 'http://127.0.0.1:4001', 'null'])
    assert.is((await post('/api/answer', createAnswer('yes'), { origin })).status, 403)
  assert.is(readFile(), tableText)
  assert.is((await post('/api/open', {}, { origin: `http://${host}` })).status, 200)
})

test('refuses a message without the token of the page', async () => {
  const { post, readFile } = await createApp()
  assert.is((await post('/api/answer', createAnswer('yes'), { 'x-svc-token': '' })).status, 403)
  assert.is(
    (await post('/api/answer', createAnswer('yes'), { 'x-svc-token': 'guess' })).status,
    403,
  )
  assert.is(readFile(), tableText)
})

test('lets the page load from its own origin only', async () => {
  const { headers, body } = await (await createApp()).get('/')
  const directives = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]
  assert.is(headers.get('content-security-policy'), directives.join('; '))
  assert.is(headers.get('x-content-type-options'), 'nosniff')
  assert.is(body, '<meta content="the-token">')
})

test('responds when the answer is in the file', async () => {
  const { post, readFile } = await createApp()
  const { step } = JSON.parse((await post('/api/open', {})).body)
  const { status, body } = await post('/api/answer', createAnswer('yes'))
  assert.is(status, 200)
  assert.is(JSON.parse(body).progress.labelled, 1)
  assert.match(readFile() ?? '', new RegExp(`,${step.id},.*,yes$`, 'm'))
})

test('writes simultaneous answers one after the other', async () => {
  const { post, readFile } = await createApp()
  await post('/api/open', {})
  await Promise.all([
    post('/api/answer', createAnswer('yes', 0)),
    post('/api/answer', createAnswer('no', 1)),
  ])
  assert.is(readFile()?.match(/,(yes|no)$/gm)?.length, 2)
})

test('only the page that was opened last may write', async () => {
  const { post, readFile } = await createApp()
  assert.is(JSON.parse((await post('/api/open', {})).body).hasTakenOver, false)
  assert.is(JSON.parse((await post('/api/open', {})).body).hasTakenOver, true)
  const firstTab = 1
  const { status, body } = await post('/api/answer', createAnswer('yes', 0, firstTab))
  assert.is(status, 409)
  assert.is(JSON.parse(body).refusal, 'other tab')
  assert.is(readFile(), tableText)
})

test('does not overwrite a table that another program changed, and offers all answers, also the refused one', async () => {
  const { get, post, readFile, changeFile } = await createApp()
  await post('/api/open', {})
  await post('/api/answer', createAnswer('yes', 0))
  await changeFile('index,id,text,bill.label\nchanged\n')
  const answer = { ...createAnswer('no', 1), note: 'a note' }
  const { status, body } = await post('/api/answer', answer)
  assert.is(status, 409)
  assert.is(JSON.parse(body).refusal, 'file changed')
  assert.is(JSON.parse(body).answers, 2)
  assert.is(readFile(), 'index,id,text,bill.label\nchanged\n')
  assert.match(
    (await get('/answers.csv')).body,
    /^index,id,question,label,note\n[01],[ab],bill,yes,\n[01],[ab],bill,no,a note\n$/,
  )
})

test('changes nothing on a full disk, and writes the same answer later', async () => {
  const { post, readFile, setDiskFull } = await createApp()
  await post('/api/open', {})
  setDiskFull(true)
  const { body } = await post('/api/answer', createAnswer('yes'))
  assert.equal(JSON.parse(body), {
    refusal: 'not written',
    message: 'The table cannot be written: no space left on device.',
    answers: 0,
  })
  assert.is(readFile(), tableText)
  setDiskFull(false)
  assert.is((await post('/api/answer', createAnswer('yes'))).status, 200)
})

test('a check says that another program changed the table, or that another tab took over', async () => {
  const { post, changeFile } = await createApp()
  await post('/api/open', {})
  assert.equal(JSON.parse((await post('/api/check', { tab: 1 })).body), { isReady: true })
  await changeFile('index,id,text,bill.label\nchanged\n')
  assert.equal(JSON.parse((await post('/api/check', { tab: 1 })).body), {
    refusal: 'file changed',
    message: 'The table was changed by another program since svc read it. It was left as it is.',
    answers: 0,
  })
  await post('/api/open', {})
  assert.is(JSON.parse((await post('/api/check', { tab: 1 })).body).refusal, 'other tab')
})

test('serves the images of the table to the page, and no other file', async () => {
  const { get, post } = await createApp()
  const { step } = JSON.parse((await post('/api/open', {})).body)
  const isFirst = step.id === 'a'
  const [inside, outside] = isFirst ? [0, 1] : [1, 0]
  const { status, headers } = await get(`/images/${inside}/1`)
  assert.is(status, 200)
  assert.is(headers.get('content-type'), 'image/png')
  assert.is(headers.get('x-content-type-options'), 'nosniff')
  const refused = await get(`/images/${outside}/1`)
  assert.is(refused.status, 404)
  assert.match(refused.body, 'it is outside the folder of the rows; --follow-links allows it')
  // The first field is a text.
  assert.is((await get(`/images/${inside}/0`)).status, 404)
  assert.is((await get(`/images/${inside}/1`, { cookie: '' })).status, 403)
})

test('responds with 400 to an unknown message', async () => {
  const { post } = await createApp()
  await post('/api/open', {})
  assert.is((await post('/api/answer', { tab: 1 })).status, 400)
  assert.is((await post('/api/undo', {})).status, 400)
})

test('responds with 413 to a message of more than 64 KiB', async () => {
  const { post } = await createApp()
  await post('/api/open', {})
  const note = 'x'.repeat(65 << 10)
  assert.is((await post('/api/answer', { ...createAnswer('yes'), note })).status, 413)
})

test('finishes when the person presses done', async () => {
  const { post, finished } = await createApp()
  await post('/api/open', {})
  assert.is((await post('/api/finish', { tab: 1 })).status, 200)
  await finished
})

test('closes although a browser holds a connection on which it has sent nothing', async () => {
  const { files } = createMemoryFiles({ 't.csv': tableText })
  const options = {
    input: 't.csv',
    output: undefined,
    questions: [question],
    form: { hasQuotes: true },
    seed: 0,
    repeatedRowCount: 0,
    imageFields: [],
    followLinks: false,
    nextCommand: '',
  }
  const started = await startLabelServer({ ...options, port: 0 }, files, async () => new Map())
  if (E.isLeft(started)) throw new Error('the server did not start')
  const socket = connect(Number(new URL(started.right.address).port), '127.0.0.1')
  await once(socket, 'connect')
  const socketClosed = once(socket, 'close')
  await Promise.all([started.right.close(), socketClosed])
})

test.run()

import { Window } from 'happy-dom'
import { h, options, render } from 'preact'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { App } from '../../lib/label/page/app'
import { estimateTimeLeft, PageModel, type SendMessage } from '../../lib/label/page/model'
import { describeRow } from '../../lib/label/page-content'
import type { LabelScreen, PageQuestion, RefusalMessage } from '../../lib/label/protocol'

const test = suite('the page of svc label')

// preact waits for the next frame before it runs effects. There are no frames here.
options.requestAnimationFrame = setImmediate

const bill: PageQuestion = {
  id: 'bill',
  type: 'noul',
  text: 'Is it a bill?',
  options: [
    { value: 'yes', name: 'Yes', description: 'a charge' },
    { value: 'no', name: 'No', description: '' },
  ],
}
/** The texts of the rows. */
const rowTexts = ['<b>first</b>\nline', 'second']

/** Creates the screen that the server sends when this number of rows is labelled. */
const createScreen = (done: number): LabelScreen => ({
  progress: {
    labelled: done,
    left: rowTexts.length - done,
    skipped: 0,
    done,
    steps: rowTexts.length,
    // No row is shown a second time.
    again: null,
  },
  step:
    done === rowTexts.length
      ? null
      : {
          index: done,
          question: bill,
          isSecondShowing: false,
          fields: [{ name: '', text: rowTexts[done] ?? '' }],
        },
})

type Listener = (event: unknown) => void

/**
 * Opens the page without a browser, and with a server in memory. Each of `failures` fails one message after the opening, in their order.
 * The test must call `close`, because `openPage` replaces global objects.
 */
const openPage = async (failures: Array<RefusalMessage | 'unreachable'> = []) => {
  const window = new Window()
  const { document, HTMLInputElement } = globalThis
  const originalGlobals = { document, HTMLInputElement }
  const listeners = new Set<Listener>()
  Object.assign(globalThis, {
    document: window.document,
    HTMLInputElement: window.HTMLInputElement,
    addEventListener: (_: string, listener: Listener) => listeners.add(listener),
    removeEventListener: (_: string, listener: Listener) => listeners.delete(listener),
  })
  /** The answers that the server has. */
  const answers: object[] = []
  let pauseCount = 0
  const send: SendMessage = async (path, body) => {
    if (path === '/api/open')
      return { tab: 1, hasTakenOver: false, table: 't.csv', ...createScreen(0) }
    const failure = failures.shift()
    if (failure === 'unreachable') throw new Error('offline')
    if (failure !== undefined) return failure
    if (path === '/api/answer') answers.push(body)
    if (path === '/api/undo') answers.pop()
    return createScreen(answers.length)
  }
  const sleep = async () => {
    pauseCount += 1
  }
  const root = window.document.createElement('div')
  window.document.body.append(root)
  // happy-dom has its own types of elements.
  const container = root as never
  /** The text of the page after each change. */
  const shownTexts: string[] = []
  const model = new PageModel(send, sleep, (changed) => {
    render(h(App, { model: changed, state: changed.state }), container)
    shownTexts.push(root.textContent ?? '')
  })
  await model.open()
  await settle()
  return {
    root,
    readText: () => root.textContent ?? '',
    answers,
    shownTexts,
    countPauses: () => pauseCount,
    press: async (key: string, target: object = root, repeat = false) => {
      const event = { key, target, repeat, preventDefault: () => undefined }
      for (const listener of listeners) listener(event)
      await settle()
    },
    close: async () => {
      render(null, container)
      Object.assign(globalThis, originalGlobals)
      await window.happyDOM.close()
    },
  }
}

/** Waits until promises and the effects of preact have run. */
const settle = async (): Promise<void> => {
  // Twenty turns of the event loop are more than any test needs.
  for (let turn = 0; turn < 20; turn++) await new Promise((done) => setImmediate(done))
}

test('a key labels the row, and the next row appears', async () => {
  const page = await openPage()
  assert.match(page.readText(), /1 of 2.*first/s)
  await page.press('1')
  assert.equal(page.answers, [
    { tab: 1, stepIndex: 0, answer: { kind: 'label', value: 'yes' }, note: '' },
  ])
  assert.match(page.readText(), /2 of 2.*second/s)
  await page.close()
})

test('HTML in a text is shown as text', async () => {
  const page = await openPage()
  assert.is(page.root.querySelector('main p')?.innerHTML, '&lt;b&gt;first&lt;/b&gt;\nline')
  assert.is(page.root.querySelector('main b'), null)
  await page.close()
})

test('the key s skips, ? says that the person cannot tell, and u undoes', async () => {
  const page = await openPage()
  await page.press('s')
  await page.press('u')
  await page.press('?')
  assert.equal(page.answers, [{ tab: 1, stepIndex: 0, answer: { kind: 'cannot tell' }, note: '' }])
  await page.close()
})

test('keys in the field for notes do not answer', async () => {
  const page = await openPage()
  const field = page.root.querySelector('input')
  await page.press('1', field ?? {})
  assert.equal(page.answers, [])
  await page.close()
})

test('a key that is held down answers once', async () => {
  const page = await openPage()
  await page.press('1')
  await page.press('1', page.root, true)
  assert.is(page.answers.length, 1)
  await page.close()
})

test('the key u undoes the last answer after the last row too', async () => {
  const page = await openPage()
  await page.press('1')
  await page.press('1')
  assert.match(page.readText(), /All done.*uUndo the last answer/s)
  await page.press('u')
  assert.match(page.readText(), /2 of 2.*second/s)
  assert.is(page.answers.length, 1)
  await page.close()
})

test('sends an answer again until it is written, and says so', async () => {
  const diskFull: RefusalMessage = { refusal: 'not written', message: 'The disk is full.' }
  const page = await openPage(['unreachable', diskFull])
  await page.press('2')
  assert.is(page.countPauses(), 2)
  assert.ok(page.shownTexts.some((text) => text.includes('svc label does not answer')))
  assert.ok(page.shownTexts.some((text) => text.includes('Not saved yet. The disk is full.')))
  assert.is(page.answers.length, 1)
  assert.not.match(page.readText(), /Not saved/)
  await page.close()
})

test('stops if the table was changed, and offers the answers', async () => {
  const page = await openPage([{ refusal: 'file changed', message: 'It was changed.' }])
  await page.press('1')
  assert.match(page.readText(), /It was changed\.Download the answers/)
  await page.close()
})

test('sums up after the last row and waits for done', async () => {
  const page = await openPage()
  await page.press('1')
  await page.press('1')
  assert.match(page.readText(), /All done.*2 labels.*Done/s)
  page.root.querySelector('button')?.click()
  await settle()
  assert.match(page.readText(), /The labels are in t\.csv/)
  await page.close()
})

test('ignores done while an undo is not written yet', async () => {
  // The undo gets no response.
  const send: SendMessage = (path) =>
    path === '/api/open'
      ? Promise.resolve({ tab: 1, hasTakenOver: false, table: 't.csv', ...createScreen(2) })
      : new Promise(() => undefined)
  const sleep = async () => undefined
  const onChange = () => undefined
  const model = new PageModel(send, sleep, onChange)
  await model.open()
  void model.undo()
  await model.finish()
  assert.is(model.state.isFinished, undefined)
})

test('a JSON object is laid out as a field for each member, and numbers keep their digits', () => {
  const describe = (row: Record<string, string>) =>
    describeRow(new Map(Object.entries(row)), [bill])
  assert.equal(describe({ row: '{"subject":"Hi","tags":["a"],"n":12345678901234567890}' }), [
    { name: 'subject', text: 'Hi' },
    { name: 'tags', text: '[\n  "a"\n]' },
    { name: 'n', text: '12345678901234567890' },
  ])
  assert.equal(describe({ id: '7', row: '{"subject":"Hi"}' }), [
    { name: 'id', text: '7' },
    { name: 'row.subject', text: 'Hi' },
  ])
  assert.equal(describe({ text: '{not json' }), [{ name: '', text: '{not json' }])
})

test('the time left is estimated from the third answer on, without long breaks', () => {
  // Two gaps of 6 s with a break between them: 50 steps take 300 s, and 2000 steps 12,000 s.
  const times = [0, 6000, 1_000_000, 1_006_000]
  assert.is(estimateTimeLeft(times, 50), 'about 5 min left')
  assert.is(estimateTimeLeft(times, 2000), 'about 3 h left')
  assert.is(estimateTimeLeft([0, 6000], 50), '')
})

test.run()

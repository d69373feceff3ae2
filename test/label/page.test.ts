import { Window } from 'happy-dom'
import { h, options, render } from 'preact'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { App } from '../../lib/label/page/app'
import { estimateTimeLeft, PageModel, type SendMessage } from '../../lib/label/page/model'
import { listAnswerKeys } from '../../lib/label/page/shortcuts'
import { describeRow } from '../../lib/label/page-content'
import type {
  CheckedPage,
  LabelScreen,
  PageQuestion,
  RefusalMessage,
  UndoneAnswer,
} from '../../lib/label/protocol'

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
const tone: PageQuestion = {
  id: 'tone',
  type: 'score',
  text: 'How angry is it?',
  options: ['calm', 'angry'].map((name, level) => ({
    value: String(level),
    name,
    description: '',
  })),
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
          position: { row: done + 1, rows: rowTexts.length, question: 1, questions: 1 },
          questionIndex: 0,
          isSecondShowing: false,
          id: `t-${done}`,
          fields: [{ name: '', text: rowTexts[done] ?? '', format: 'text' }],
          undone: null,
        },
  end:
    done === rowTexts.length
      ? {
          counts: [
            {
              question: bill.text,
              answers: [{ name: 'Yes', count: done }],
              cannotTell: 0,
              empty: 0,
            },
          ],
          skipped: 1,
        }
      : null,
})

/** Creates the response to the opening of a tab. */
const createOpened = (screen: LabelScreen, questions: ReadonlyArray<PageQuestion> = [bill]) => ({
  tab: 1,
  hasTakenOver: false,
  table: 't.csv',
  nextCommand: 'svc eval run.jsonl --labels t.csv',
  questions,
  ...screen,
})

interface PressOptions {
  readonly target?: object
  readonly repeat?: boolean
  /** The place of the key on the keyboard. */
  readonly code?: string
}

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
  const answers: UndoneAnswer[] = []
  /** The responses to the checks. Without one, the server cannot be reached. */
  const checks: Array<CheckedPage | RefusalMessage> = []
  let pauseCount = 0
  /** Takes back the last answer. */
  const undo = (): LabelScreen => {
    const [undone = null] = answers.splice(-1)
    const screen = createScreen(answers.length)
    return screen.step === null ? screen : { ...screen, step: { ...screen.step, undone } }
  }
  const send: SendMessage = async (path, body) => {
    if (path === '/api/open') return createOpened(createScreen(0))
    if (path === '/api/check') return checks.shift() ?? Promise.reject(new Error('offline'))
    const failure = failures.shift()
    if (failure === 'unreachable') throw new Error('offline')
    if (failure !== undefined) return failure
    if (path === '/api/undo') return undo()
    if (path === '/api/answer') answers.push(body as UndoneAnswer)
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
  let hasKeys = true
  const show = (shown: PageModel): void => {
    const toggle = () => {
      hasKeys = !hasKeys
      show(shown)
    }
    const keys = { isOn: hasKeys, toggle }
    render(h(App, { model: shown, state: shown.state, keys }), container)
    shownTexts.push(root.textContent ?? '')
  }
  const model = new PageModel(send, sleep, show)
  await model.open()
  await settle()
  return {
    root,
    readText: () => root.textContent ?? '',
    answers,
    checks,
    check: async () => {
      await model.check()
      await settle()
    },
    click: async (name: string) => {
      const buttons = [...root.querySelectorAll('button')]
      buttons.find((button) => button.textContent.includes(name))?.click()
      await settle()
    },
    shownTexts,
    countPauses: () => pauseCount,
    press: async (key: string, options: PressOptions = {}) => {
      const event = { key, target: root, preventDefault: () => undefined, ...options }
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
  assert.match(page.readText(), /Row 1 of 2.*first/s)
  await page.press('1')
  assert.equal(page.answers, [
    { tab: 1, stepIndex: 0, answer: { kind: 'label', value: 'yes' }, note: '' },
  ])
  assert.match(page.readText(), /Row 2 of 2.*second/s)
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
  await page.press('1', { target: field ?? {} })
  assert.equal(page.answers, [])
  await page.close()
})

test('a key that is held down answers once', async () => {
  const page = await openPage()
  await page.press('1')
  for (const key of ['1', 's', 'u']) await page.press(key, { repeat: true })
  assert.is(page.answers.length, 1)
  await page.close()
})

test('the key u undoes the last answer after the last row too', async () => {
  const page = await openPage()
  await page.press('1')
  await page.press('1')
  assert.match(page.readText(), /All done.*uUndo the last answer/s)
  await page.press('u')
  assert.match(page.readText(), /Row 2 of 2.*second/s)
  assert.is(page.answers.length, 1)
  await page.close()
})

test('sends an answer again until it is written, and says so', async () => {
  const diskFull: RefusalMessage = {
    refusal: 'not written',
    message: 'The disk is full.',
    answers: 0,
  }
  const page = await openPage(['unreachable', diskFull])
  await page.press('2')
  assert.is(page.countPauses(), 2)
  assert.ok(page.shownTexts.some((text) => text.includes('svc label does not answer')))
  assert.ok(
    page.shownTexts.some((text) =>
      text.includes('one answer waits on this page. The disk is full.'),
    ),
  )
  assert.is(page.answers.length, 1)
  assert.not.match(page.readText(), /Not saved/)
  await page.close()
})

test('says what was saved, and that u takes it back', async () => {
  const page = await openPage()
  await page.press('1')
  assert.is(page.root.querySelector('.notice')?.textContent, 'Saved: Yes. u takes it back.')
  await page.press('u')
  assert.is(page.root.querySelector('.notice')?.textContent, 'Taken back: Yes.')
  await page.press('s')
  assert.is(page.root.querySelector('.notice')?.textContent, 'Skipped. u takes it back.')
  await page.close()
})

test('undo marks the answer and brings its note back', async () => {
  const page = await openPage()
  const noteField = page.root.querySelector('input')
  if (noteField !== null) noteField.value = 'in Welsh'
  await page.press('2')
  assert.is(page.root.querySelector('input')?.value, '')
  await page.press('u')
  assert.is(page.root.querySelector('.undone')?.textContent, '2No')
  assert.is(page.root.querySelector('input')?.value, 'in Welsh')
  await page.close()
})

test('single keys do nothing once they are switched off', async () => {
  const page = await openPage()
  await page.click('Single-key shortcuts')
  await page.press('1')
  assert.is(page.answers.length, 0)
  assert.is(page.root.querySelector('kbd'), null)
  await page.click('Yes')
  assert.is(page.root.querySelector('.notice')?.textContent, 'Saved: Yes. Undo takes it back.')
  await page.close()
})

test('the keys of choices go on with letters, without those of the tools', () => {
  const options = Array.from({ length: 40 }, (_, i) => ({
    value: String(i),
    name: '',
    description: '',
  }))
  const keys = listAnswerKeys({ type: 'choice', options })
  assert.is(keys.join(''), '1234567890abcdefghijklmopqrtvwxyz')
  assert.is(keys[33], undefined)
  assert.equal(listAnswerKeys(tone), ['0', '1'])
})

test('a key counts by its place if its character is no Latin letter or digit', async () => {
  const page = await openPage()
  // The key 1 of a French keyboard, and the key s of a Russian one.
  await page.press('&', { code: 'Digit1' })
  await page.press('ы', { code: 'KeyS' })
  assert.equal(
    page.answers.map(({ answer }) => answer),
    [{ kind: 'label', value: 'yes' }, { kind: 'skip' }],
  )
  await page.close()
})

test('notices between two answers that the server is gone, and when it is back', async () => {
  const page = await openPage()
  await page.check()
  assert.match(
    page.readText(),
    'svc label does not answer. No answer waits: all of them are in t.csv.',
  )
  page.checks.push({ isReady: true })
  await page.check()
  assert.not.match(page.readText(), 'does not answer')
  await page.close()
})

test('stops if the table was changed, says how many answers wait, and offers them', async () => {
  const changed: RefusalMessage = {
    refusal: 'file changed',
    message: 'It was changed.',
    answers: 2,
  }
  const page = await openPage([changed])
  await page.press('1')
  assert.match(
    page.readText(),
    /It was changed\. 2 answers since the start wait in the download\.Download the answers/,
  )
  // The table is as it was: the page goes on.
  page.checks.push({ isReady: true })
  await page.click('Try again')
  assert.match(page.readText(), 'Row 1 of 2')
  // A check finds the change too.
  page.checks.push(changed)
  await page.check()
  assert.match(page.readText(), 'It was changed.')
  await page.close()
})

test('sums up after the last row, and waits for done', async () => {
  const page = await openPage()
  await page.press('1')
  await page.press('1')
  assert.match(
    page.readText(),
    /All done.*2 labels.*Is it a bill\?Yes2.*in t\.csv.*svc eval run\.jsonl --labels t\.csv/s,
  )
  const { activeElement } = page.root.ownerDocument
  assert.is(activeElement?.textContent, 'Done')
  await page.click('Done')
  assert.match(page.readText(), /The labels are in t\.csv/)
  await page.close()
})

test('shows the skipped rows again on request', async () => {
  const page = await openPage()
  await page.press('1')
  await page.press('1')
  // The server brings the last row back.
  page.answers.pop()
  await page.click('Go through the skipped rows (1)')
  assert.match(page.readText(), 'Row 2 of 2')
  await page.close()
})

test('the next question keeps the element of the row, and so its place and its focus', async () => {
  const window = new Window()
  const originalDocument = globalThis.document
  const listen = { addEventListener: () => undefined, removeEventListener: () => undefined }
  Object.assign(globalThis, { document: window.document, ...listen })
  const root = window.document.createElement('div')
  window.document.body.append(root)
  const first = createScreen(0)
  if (first.step === null) throw new Error('there is no step')
  const showQuestion = (questionIndex: number): void => {
    const position = { row: 1, rows: 2, question: questionIndex + 1, questions: 2 }
    const screen = { ...first, step: { ...first.step, questionIndex, position } } as LabelScreen
    const opened = createOpened(screen, [bill, tone])
    const state = { ...model.state, opened, screen }
    const keys = { isOn: true, toggle: () => undefined }
    render(h(App, { model, state, keys }), root as never)
  }
  const model = new PageModel(
    async () => ({ isReady: true }),
    async () => undefined,
    () => undefined,
  )
  showQuestion(0)
  const row = root.querySelector('main')
  assert.match(root.textContent, 'Row 1 of 2, question 1 of 2')
  showQuestion(1)
  assert.match(root.textContent, 'Row 1 of 2, question 2 of 2')
  assert.is(root.querySelector('main'), row)
  assert.is(window.document.activeElement, row)
  // Only the answers to the current question are visible.
  assert.is(root.querySelector('.options:not(.hidden)')?.textContent, '0calm1angry')
  assert.is(root.querySelector('h1:not(.hidden)')?.textContent, 'How angry is it?')
  render(null, root as never)
  Object.assign(globalThis, { document: originalDocument })
  await window.happyDOM.close()
})

test('ignores done while an undo is not written yet', async () => {
  // The undo gets no response.
  const send: SendMessage = (path) =>
    path === '/api/open'
      ? Promise.resolve(createOpened(createScreen(2)))
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
  const describe = (row: Record<string, string>, imageFields: ReadonlyArray<string> = []) =>
    describeRow(new Map(Object.entries(row)), [bill], imageFields)
  assert.equal(describe({ row: '{"subject":"Hi","tags":["a"],"n":12345678901234567890}' }), [
    { name: 'subject', text: 'Hi', format: 'text' },
    { name: 'tags', text: '[\n  "a"\n]', format: 'json' },
    { name: 'n', text: '12345678901234567890', format: 'text' },
  ])
  assert.equal(describe({ remark: '7', row: '{"subject":"Hi"}' }), [
    { name: 'remark', text: '7', format: 'text' },
    { name: 'row.subject', text: 'Hi', format: 'text' },
  ])
  assert.equal(describe({ text: '{not json' }), [{ name: '', text: '{not json', format: 'text' }])
  assert.equal(describe({ remark: '', row: '{"photo":"a.png"}' }, ['photo']), [
    { name: '', text: 'a.png', format: 'image' },
  ])
})

test('the time left is estimated from the third answer on, without long breaks', () => {
  // Two gaps of 6 s with a break between them: 50 steps take 300 s, and 2000 steps 12,000 s.
  const times = [0, 6000, 1_000_000, 1_006_000]
  assert.is(estimateTimeLeft(times, 50), 'about 5 min left')
  assert.is(estimateTimeLeft(times, 2000), 'about 3 h left')
  assert.is(estimateTimeLeft([0, 6000], 50), '')
})

test.run()

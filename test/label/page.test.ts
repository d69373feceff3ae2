import { Window } from 'happy-dom'
import { h, options, render } from 'preact'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { App } from '../../lib/label/page/app'
import type { LabelCalls } from '../../lib/label/page/calls'
import { layOutFields } from '../../lib/label/page/fields'
import { createPageModel } from '../../lib/label/page/model'
import { createPace } from '../../lib/label/page/pace'
import type {
  AnswerMessage,
  LabelProgress,
  PageQuestion,
  RefusalMessage,
} from '../../lib/label/protocol'

const test = suite('the page of svc label')

// preact waits for the next frame before it runs effects. There are no frames here.
options.requestAnimationFrame = setImmediate

const questions: ReadonlyArray<PageQuestion> = [
  {
    id: 'bill',
    text: 'Is it a bill?',
    options: [
      { value: 'yes', name: 'Yes', description: 'a charge' },
      { value: 'no', name: 'No', description: '' },
    ],
  },
]
const texts = ['<b>first</b>\nline', 'second']

const progressAt = (done: number): LabelProgress => ({
  next: done < texts.length ? done : null,
  labelled: done,
  left: texts.length - done,
  skipped: 0,
  done,
  steps: texts.length,
  again: null,
})

/** Opens the page with a server in memory. `refusals` are what the next answers get instead of being written. */
const openPage = async (refusals: Array<RefusalMessage | 'unreachable'> = []) => {
  const window = new Window()
  const { document, HTMLInputElement } = globalThis
  const before = { document, HTMLInputElement }
  const listeners = new Set<(event: unknown) => void>()
  Object.assign(globalThis, {
    document: window.document,
    HTMLInputElement: window.HTMLInputElement,
    addEventListener: (_: string, run: (event: unknown) => void) => listeners.add(run),
    removeEventListener: (_: string, run: (event: unknown) => void) => listeners.delete(run),
  })
  const answers: AnswerMessage[] = []
  let pauses = 0
  const calls: LabelCalls = {
    open: async () => ({
      tab: 1,
      tookOver: false,
      table: 't.csv',
      questions,
      progress: progressAt(0),
    }),
    step: async (step) => ({
      step,
      question: 'bill',
      isAgain: false,
      fields: [{ name: 'text', text: texts[step] ?? '' }],
    }),
    answer: async (message) => {
      const refusal = refusals.shift()
      if (refusal === 'unreachable') throw new Error('offline')
      if (refusal !== undefined) return refusal
      answers.push(message)
      return progressAt(answers.length)
    },
    undo: async () => {
      answers.pop()
      return { progress: progressAt(answers.length), step: answers.length }
    },
    finish: async () => progressAt(texts.length),
    answers: async () => '',
  }
  const place = window.document.createElement('div')
  window.document.body.append(place)
  const shown: string[] = []
  const model = createPageModel(
    calls,
    {
      now: () => 0,
      sleep: async () => {
        pauses += 1
      },
    },
    () => show(),
  )
  const show = (): void => {
    render(h(App, { model, state: model.state(), download: () => undefined }), place as never)
    shown.push(place.textContent ?? '')
  }
  await model.open()
  await settle()
  return {
    place,
    answers,
    shown,
    pauses: () => pauses,
    press: async (key: string, target: object = place) => {
      for (const run of listeners) run({ key, target, preventDefault: () => undefined })
      await settle()
    },
    close: async () => {
      render(null, place as never)
      Object.assign(globalThis, before)
      await window.happyDOM.close()
    },
  }
}

/** Lets promises and the effects of preact, which wait for the next frame, come to rest. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise((done) => setImmediate(done))
}

test('a key labels the row, and the next row appears', async () => {
  const page = await openPage()
  assert.match(page.place.textContent ?? '', /1 of 2.*first/s)
  await page.press('1')
  assert.equal(page.answers, [
    { tab: 1, step: 0, answer: { kind: 'label', value: 'yes' }, note: '' },
  ])
  assert.match(page.place.textContent ?? '', /2 of 2.*second/s)
  await page.close()
})

test('HTML in a text is shown as text', async () => {
  const page = await openPage()
  assert.is(page.place.querySelector('.only')?.innerHTML, '&lt;b&gt;first&lt;/b&gt;\nline')
  assert.is(page.place.querySelector('.only b'), null)
  await page.close()
})

test('the keys s, ? and u skip, pass over and undo', async () => {
  const page = await openPage()
  await page.press('s')
  await page.press('u')
  await page.press('?')
  assert.equal(
    page.answers.map(({ answer }) => answer.kind),
    ['cannot tell'],
  )
  await page.close()
})

test('keys in the field for notes are letters of the note', async () => {
  const page = await openPage()
  const field = page.place.querySelector('input')
  await page.press('1', field ?? {})
  assert.equal(page.answers, [])
  await page.close()
})

test('an answer is sent again until it is written, and the page says that it waits', async () => {
  const full: RefusalMessage = { refusal: 'not written', message: 'The disk is full.' }
  const page = await openPage(['unreachable', full])
  await page.press('2')
  assert.is(page.pauses(), 2)
  assert.ok(page.shown.some((text) => text.includes('svc label does not answer')))
  assert.ok(page.shown.some((text) => text.includes('Not saved yet. The disk is full.')))
  assert.is(page.answers.length, 1)
  assert.not.match(page.place.textContent ?? '', /Not saved/)
  await page.close()
})

test('a table that was changed stops the page and offers the answers', async () => {
  const page = await openPage([{ refusal: 'file changed', message: 'It was changed.' }])
  await page.press('1')
  assert.match(page.place.textContent ?? '', /It was changed\.Download the answers/)
  await page.close()
})

test('after the last row the page sums up and waits for done', async () => {
  const page = await openPage()
  await page.press('1')
  await page.press('1')
  assert.match(page.place.textContent ?? '', /All done.*2 labels.*Done/s)
  page.place.querySelector('button')?.click()
  await settle()
  assert.match(page.place.textContent ?? '', /The labels are in t\.csv/)
  await page.close()
})

test('a JSON object is laid out as a field for each member', () => {
  assert.equal(layOutFields([{ name: 'row', text: '{"subject":"Hi","tags":["a"]}' }]), [
    { name: 'subject', text: 'Hi' },
    { name: 'tags', text: '[\n  "a"\n]' },
  ])
  assert.equal(layOutFields([{ name: 'text', text: '{not json' }]), [
    { name: '', text: '{not json' },
  ])
})

test('the time left is guessed from the third answer on, without long breaks', () => {
  const pace = createPace()
  for (const now of [0, 6000, 1_000_000, 1_006_000]) pace.note(now)
  assert.is(pace.describe(50), 'about 5 min left')
  assert.is(pace.describe(2000), 'about 3 h left')
  assert.is(createPace().describe(50), '')
})

test.run()

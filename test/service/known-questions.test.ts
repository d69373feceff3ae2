import * as assert from 'node:assert/strict'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import { encode } from '../../lib/json/draft'
import { parseText } from '../../lib/json/parse'
import { noSpan } from '../../lib/runtime/trace'
import { lexicalEngine, lexicalModel } from '../../lib/service/engines/lexical/engine'
import {
  type KnownQuestion,
  questionLimits,
  questionReader,
} from '../../lib/service/http/known-questions'
import { Recent, type RecentLimits } from '../../lib/service/http/recent'
import { askReader, type ReadAsk } from '../../lib/service/http/request'
import { itemsOf } from '../accuracy/items'
import { example } from './support'

const test = suite('service: known questions')

/** Reads with one memory and answers with one engine. */
const answering = (read: ReadAsk = askReader(), engine = lexicalEngine()) => {
  const context = {
    signal: new AbortController().signal,
    span: noSpan,
    requestId: '',
    log: () => undefined,
  }
  return async (document: string): Promise<string> => {
    const asked = read(Buffer.from(document))
    if (E.isLeft(asked)) return JSON.stringify(asked.left)
    const answered = await engine.answer(asked.right.request, lexicalModel, context)()
    assert.ok(E.isRight(answered))
    const { answers } = answered.right
    const ids = asked.right.request.questions.map(([id]) => id)
    return JSON.stringify([ids, answers, answers.map((one, i) => asked.right.writers[i]?.(one))])
  }
}

/** The labelled questions, as requests. */
const labelled = (): ReadonlyArray<string> =>
  (['tuning', 'test'] as const).flatMap(itemsOf).map(({ state, question }) => {
    const { type, instructions } = question
    const written = { type, instructions, criteria: criteriaOf(question) }
    return encode({ state, questions: { q: written } }).toString()
  })

type Labelled = ReturnType<typeof itemsOf>[number]['question']

const criteriaOf = (question: Labelled) =>
  question.type === 'choice'
    ? Object.fromEntries(question.criteria.map(([label, text]) => [label, text]))
    : question.criteria

/** The same questions about states that name, half name and do not name what they quote. */
const variants = (): ReadonlyArray<string> => {
  const quoting = 'Does `ticket` say what `mail` says about refunds of `ticket`?'
  const questions = { ...example.questions, quoting: { type: 'noul', instructions: quoting } }
  const states = [
    example.state,
    { ticket: 'Refunds are late.', mail: 'No refunds, not this month.' },
    { mail: 'Calm and polite: refunds came.' },
    'A ticket about a mail.',
    { other: [1, false, { ticket: null }] },
    [],
  ]
  return states.map((state) => JSON.stringify({ state, questions }))
}

test('answers from memory are those without one, bit for bit', async () => {
  const warm = answering()
  const documents = [...labelled(), ...variants()]
  const cold = await Promise.all(documents.map((document) => answering()(document)))
  for (let round = 0; round < 3; round++) {
    for (const [i, document] of documents.entries()) assert.equal(await warm(document), cold[i])
    const last = documents.length - 1
    for (const [i] of documents.entries())
      assert.equal(await warm(documents[last - i] ?? ''), cold[last - i])
  }
})

test('a memory too small for anything changes no answer', async () => {
  const limits: RecentLimits = { entries: 2, characters: 150, longest: 100 }
  const small = answering(askReader(questionReader(new Recent(limits))))
  for (const document of [...variants(), ...variants()]) {
    assert.equal(await small(document), await answering()(document))
  }
})

test('faults are told the same way again, and nothing faulty is kept', async () => {
  const known = new Recent<KnownQuestion | 'seen'>(questionLimits)
  const warm = answering(askReader(questionReader(known)))
  const faulty = ['{"type":"score","criteria":["one"]}', '{"type":"noul","x":1}', '{}', '7']
  for (const question of [...faulty, ...faulty]) {
    const document = `{"state":"s","questions":{"q":${question}}}`
    assert.equal(await warm(document), await answering()(document))
  }
  assert.equal(known.size, 0)
})

test('a kept question shares no memory with its request', () => {
  const text = '{"type":"noul","instructions":"Is it late?"}'
  const document = parseText(`[{"secret":"state"},${text}]`)
  assert.ok(E.isRight(document))
  const { bytes, end } = document.right
  const window = { bytes, start: end - 1 - text.length, end: end - 1 }
  const read = questionReader()
  read(window)
  const { question } = read(window) ?? {}
  assert.equal(read(window)?.question, question)
  assert.ok(question?.type === 'noul' && question.instructions !== undefined)
  const kept = question.instructions.bytes
  assert.equal(kept.toString(), text)
  assert.equal(kept.buffer.byteLength, text.length)
})

test('the memory keeps to its limits, whatever is asked', () => {
  const known = new Recent<KnownQuestion | 'seen'>(questionLimits)
  const read = questionReader(known)
  const ask = (instructions: string): void => {
    const json = parseText(JSON.stringify({ type: 'noul', instructions }))
    assert.ok(E.isRight(json) && read(json.right) !== undefined && read(json.right) !== undefined)
    assert.ok(known.size <= questionLimits.entries)
  }
  for (let i = 0; i < 5000; i++) ask(`Is it ${i}?`)
  assert.ok(known.size >= questionLimits.entries / 2)
  for (let i = 0; i < 500; i++) ask(`${i} ${'word '.repeat(3000)}`)
  assert.ok(known.characters <= questionLimits.characters)
  const before = known.size
  ask('word '.repeat(questionLimits.longest))
  assert.equal(known.size, before)
})

test('what is used stays, what is not goes', () => {
  const recent = new Recent<number>({ entries: 8, characters: 1000, longest: 10 })
  recent.set('kept', 1)
  recent.set('gone', 2)
  for (let i = 0; i < 20; i++) {
    assert.equal(recent.get('kept'), 1)
    recent.set(`${i}`, i)
  }
  assert.equal(recent.get('gone'), undefined)
})

test.run()

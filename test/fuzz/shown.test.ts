import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { FetchResponse } from '../../lib/runtime/runtime'
import { activeIn, commandsIn, controlsIn } from '../failure/text/harm'
import { hostile } from '../failure/text/hostile'
import { type Ended, run } from '../main/run'
import * as fc from '../support/fast-check'
import { httpServer } from '../support/servers'
import { fuzz } from './rules'

const test = suite('fuzz: what is shown')

// The number of inputs. With six characters removed from the escaped ones, one at a time, every property noticed
// three within 165 inputs; `www.` took 314, and two were noticed by none. `FUZZ_RUNS` multiplies the numbers.
const key = 'Sk-"s/é1'
const echoes = [
  key,
  JSON.stringify(key).slice(1, -1),
  encodeURIComponent(key),
  encodeURIComponent(key).replace(/%../g, (byte) => byte.toLowerCase()),
]
const said = fc.oneof(
  { weight: 8, arbitrary: hostile(...echoes) },
  { weight: 1, arbitrary: fc.constantFrom(...echoes).map((echo) => `${'x'.repeat(1020)}${echo}`) },
  { weight: 1, arbitrary: hostile(key).map((text) => text.repeat(1000)) },
)

/** True if a text contains the key in one of the spellings that programs give it. */
const holdsKey = (text: string): boolean => echoes.some((echo) => text.includes(echo))

/** No command, nothing unseen, no key. */
const harmless = (text: string): void => {
  assert.equal(commandsIn(text), [], text)
  assert.equal(controlsIn(text), [], text)
  assert.not(holdsKey(text), text)
}

/**
 * Checks stderr, Markdown and reports for any text of the service or a configuration: no control characters, and no
 * commands of CI systems.
 */
const checkTexts = ({ stdout, stderr, files }: Ended): void => {
  harmless(stderr)
  for (const line of stderr.split('\n'))
    assert.ok(Buffer.byteLength(line) < 16 << 10, 'a long line')
  for (const text of [stdout, ...Object.values(files)]) {
    harmless(text)
    assert.ok(text.length < 32 << 10, 'more than a few fields can hold')
  }
}

/** Also checks that the service's texts cannot make links, images or HTML in Markdown. */
const checkInert = (ended: Ended): void => {
  const { stdout, files } = ended
  checkTexts(ended)
  for (const text of [stdout, files['summary.md'] ?? ''])
    if (text.startsWith('# svc ')) assert.equal(activeIn(text), [], text)
}

/** A service that answers every request with this. */
const answering =
  (status: number, headers: Readonly<Record<string, string>>, body: string) =>
  async (): Promise<FetchResponse> => ({
    status,
    header: (name) => headers[name] ?? null,
    body: (async function* () {
      yield Buffer.from(body)
    })(),
  })

const env = { SERVICE_API_KEY: key, GITHUB_STEP_SUMMARY: 'summary.md' }
const request = '{"state":"s","questions":{"q":{"type":"noul"}}}'
const config = JSON.stringify({
  spec: 'spec.md',
  units: [{ name: 'u', spec_heading: '# S', implementation: ['a.ts'], behaviors: ['adds'] }],
})
const review = { 'svc-review.json': config, 'spec.md': '# S\n', 'a.ts': 'a' }
const files = { ...review, 'rows.jsonl': '1\n2\n' }

const argv = fc.constantFrom<ReadonlyArray<string>>(
  ['ask'],
  ['ask', '--pretty', '--log-level=debug'],
  ['models'],
  ['review'],
  ['batch', '--noul=q=x', '--input=rows.jsonl', '--log-level=debug'],
  ['review', '--json', '--junit=r.xml'],
  ['review', '--junit=r.xml', '--log-level=info'],
)
const asking = async (line: ReadonlyArray<string>, fetch: () => Promise<FetchResponse>) =>
  checkInert(await run({ argv: [...line, '--max-retries=1'], env, stdin: request, files, fetch }))

const failing = fc.oneof(
  fc.tuple(said, said).map(([a, b]) => ({ detail: a, request_id: b })),
  fc.tuple(said, said).map(([a, b]) => ({ detail: { error_type: a, message: b } })),
  fc.tuple(said, said).map(([a, b]) => ({ detail: [{ loc: ['body', a], msg: b }, b] })),
  fc.tuple(said, said).map(([a, b]) => ({ error: { message: a }, request_id: b })),
)
const failed = fc.oneof(
  failing.map((body) => JSON.stringify(body)),
  said,
)
const status = fc.constantFrom(302, 400, 401, 422, 429, 500)

test('messages, request ids and the targets of redirects', async () => {
  await fuzz(
    fc.tuple(argv, status, failed, said, said),
    200,
    async ([line, code, body, id, to]) => {
      const headers = { 'x-service-request-id': id, location: to, 'retry-after-ms': '0' }
      await asking(line, answering(code, headers, body))
    },
  )
})

test('the names of content encodings', async () => {
  await fuzz(fc.tuple(argv, said), 60, async ([line, name]) => {
    await asking(line, answering(200, { 'content-encoding': name }, '{}'))
  })
})

const sometimes = fc.nat(6).map((one) => one === 0)
const given = fc.tuple(said, said, said, sometimes, sometimes)
const answers = given.map(([id, type, area, isOther, isFaulty]) => ({
  covers_00: { type: 'noul', noul: 0.1 },
  contradicts_spec: { type: 'noul', noul: 0.1 },
  thoroughness: { type: isOther ? type : 'score', score: 1, confidence: 1 },
  weakest_area: { type: 'choice', choice: area, confidence: 1 },
  ...(isFaulty ? { [id]: { type: 'noul' } } : {}),
}))

test('models, request ids, answers and ids of answers', async () => {
  await fuzz(fc.tuple(argv, answers, said, said), 200, async ([line, given, model, id]) => {
    // `ask` and `models` may pass on any text.
    const passed = { covers_00: { type: 'noul', noul: 0.1 } }
    const faulty = Object.keys(given).length > 4
    const shown = line[0] === 'review' || faulty ? given : passed
    const body = JSON.stringify({ model, answers: shown, models: [], request_id: id })
    await asking(line, answering(200, {}, body))
  })
})

/** A unit with hostile texts. Its files exist if the last value is false. */
const unitSaying = fc
  .tuple(...[hostile(...echoes), hostile(...echoes), hostile(...echoes), hostile(), sometimes])
  .map(([name, note, behavior, path, isGone]) => ({
    name: `u${name}`,
    spec_heading: '# S',
    implementation: [isGone ? `gone/${path.replaceAll('\0', '')}` : 'a.ts'],
    behaviors: [`adds ${behavior}`, `takes ${note}`],
    accepted: [`takes ${note}`],
    notes: [note],
  }))

test("texts of a review's configuration", async () => {
  const answers = {
    ...Object.fromEntries(['covers_00', 'covers_01'].map((id) => [id, { type: 'noul', noul: 0 }])),
    contradicts_spec: { type: 'noul', noul: 0.1 },
    thoroughness: { type: 'score', score: 1, confidence: 1 },
    weakest_area: { type: 'choice', choice: 'none', confidence: 1 },
  }
  const fetch = answering(200, {}, JSON.stringify({ model: 'm', answers }))
  const line = fc.constantFrom<ReadonlyArray<string>>(
    ['review', '--junit=r.xml'],
    ['review', '--json'],
    ['review', '--dry-run'],
    ['review', '--dry-run', '--json'],
  )
  await fuzz(fc.tuple(line, unitSaying), 200, async ([argv, unit]) => {
    const given = {
      ...review,
      'svc-review.json': JSON.stringify({ spec: 'spec.md', units: [unit] }),
    }
    const ended = await run({ argv, env, files: given, fetch })
    assert.ok([0, 8].includes(ended.code), ended.stderr)
    const { 'svc-review.json': _, ...written } = ended.files
    checkTexts({ ...ended, files: written })
  })
})

test('texts of a collector', async () => {
  const phrase = said.map((text) => text.replace(/[^\t -~\u0080-\u00ff]/g, '').slice(0, 5000))
  let words = ''
  const collector = await httpServer((incoming, response) => {
    incoming.resume().on('end', () => response.writeHead(400, words).end(words))
  })
  const traced = { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, TRACING_API_KEY: 'Tk-7\\x' }
  try {
    await fuzz(phrase, 60, async (text) => {
      words = `${text} Tk-7\\x`
      const fetch = answering(200, {}, '{"model":"m","answers":{"q":{"type":"noul","noul":1}}}')
      const ended = await run({ argv: ['ask'], env: traced, stdin: request, fetch })
      checkInert(ended)
      assert.match(ended.stderr, 'svc: tracing shutdown: ')
      assert.not.match(ended.stderr.toLowerCase(), 'tk-7')
    })
  } finally {
    await collector.close()
  }
})

test('texts of a requirement about an answer', async () => {
  const line = ['ask', "--require=q.choice == 'x'", '--state=s', '--choice=q=Which?:x,y']
  await fuzz(said, 60, async (choice) => {
    const body = { model: 'm', answers: { q: { type: 'choice', choice, confidence: 1 } } }
    const fetch = answering(200, {}, JSON.stringify(body))
    const { code, stderr } = await run({ argv: line, env, fetch })
    assert.is(code, choice === 'x' ? 0 : 8)
    harmless(stderr)
  })
})

const held = hostile(...echoes)
const recorded = fc
  .tuple(held, held, held, held, held, held)
  .map(([id, group, question, model, label, message]) => {
    const probabilities = { [label]: 0.75, other: 0.25 }
    const named = { type: 'choice', choice: label, confidence: 0.5, probabilities }
    const answers = { [question]: named, q: named }
    return [
      { index: 0, id, group, labels: { [question]: label, q: label }, model, answers },
      { index: 1, id: `${id}2`, error: { kind: 'server', message, request_id: id } },
    ]
      .map((record) => `${JSON.stringify(record)}\n`)
      .join('')
  })
const from = '--input=run'
const reading = fc.constantFrom<ReadonlyArray<string>>(
  ['gate', from, "--require=q.choice == 'other'", '--junit=r.xml', '--allow-errors'],
  ['gate', from, "--require=q.choice == 'other'", '--table'],
  ['eval', from, '--by-group'],
  ['eval', from, '--by-group', '--table'],
  ['compare', 'run', 'run', '--by-id'],
  ['compare', 'run', 'run', '--by-id', '--table'],
)

test('texts of a run', async () => {
  let read = 0
  await fuzz(fc.tuple(reading, recorded), 150, async ([line, text]) => {
    const ended = await run({ argv: line, env, files: { run: text } })
    const { run: _, ...written } = ended.files
    checkTexts({ ...ended, files: written })
    if (ended.code !== 1) read += 1
  })
  // Few are refused, such as those in which a label is twice an option.
  assert.ok(read > 100, `${read} were read`)
})

const word = hostile(key).map((text) => text.replaceAll('\0', ''))

test('arguments that messages repeat', async () => {
  const lines = fc.oneof(
    word.map((text) => [text]),
    word.map((text) => ['help', text]),
    word.map((text) => ['ask', text]),
    word.map((text) => ['ask', `--${text}`]),
    word.map((text) => ['ask', `-${text}`]),
    word.map((text) => ['ask', '--timeout', text]),
    word.map((text) => ['ask', '--base-url', text]),
    word.map((text) => ['ask', '--log-level', text]),
    word.map((text) => ['ask', '--file', text]),
    word.map((text) => ['ask', '--state=s', '--choice', text]),
    word.map((text) => ['ask', '--state=s', '--noul', `${text}=`, '--noul', `${text}=`]),
    word.map((text) => ['review', '--units', text]),
    word.map((text) => ['review', 'init', '--units', text]),
  )
  await fuzz(lines, 200, async (line) => {
    const ended = await run({ argv: line, env, fetch: () => Promise.reject(new Error(key)) })
    harmless(ended.stderr)
    harmless(ended.stdout)
  })
})

test.run()

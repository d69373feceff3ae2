import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { exitCodes } from '../../lib/failure/report'
import type { FetchResponse } from '../../lib/runtime/runtime'
import { type MainResult, runMain } from '../main/run-main'
import * as fc from '../support/fast-check'
import { startHttpServer } from '../support/servers'
import { findActiveMarkdown, findCiCommands, findControls } from '../text/find-harm'
import { generateHostileText } from '../text/hostile-text'
import { fuzz } from './fuzz'

const test = suite('fuzz: untrusted texts')

/**
 * The number of inputs for texts in several places. It was tried with six deliberate bugs, each of which left one character unescaped.
 * 200 inputs found three of the bugs. The fourth bug needed 314 inputs. `FUZZ_RUNS` multiplies the number.
 */
const inputCount = 200

/** The number of inputs for a text in only one place. There fewer inputs are enough. */
const inputCountForOnePlace = 60

const apiKey = 'Sk-"s/é1'
const keySpellings = [
  apiKey,
  JSON.stringify(apiKey).slice(1, -1),
  encodeURIComponent(apiKey),
  encodeURIComponent(apiKey).replace(/%../g, (byte) => byte.toLowerCase()),
]
const containsKey = (text: string): boolean =>
  keySpellings.some((spelling) => text.includes(spelling))

const hostileText = generateHostileText(...keySpellings)
/** `true` in about one of 7 cases. */
const rarelyTrue = fc.nat(6).map((number) => number === 0)

/** A hostile text, a long text, or a text with the API key at the place where svc cuts a long text. */
const hostileOrLongText = fc.oneof(
  { weight: 8, arbitrary: hostileText },
  // svc cuts a text after 1,024 bytes, so within the key.
  {
    weight: 1,
    arbitrary: fc.constantFrom(...keySpellings).map((spelling) => `${'x'.repeat(1020)}${spelling}`),
  },
  { weight: 1, arbitrary: generateHostileText(apiKey).map((text) => text.repeat(1000)) },
)

/** Fails if a text has a command of a CI system, a control character, an invisible character or the API key. */
const assertHarmless = (text: string): void => {
  assert.equal(findCiCommands(text), [], text)
  assert.equal(findControls(text), [], text)
  assert.not(containsKey(text), text)
}

/** Checks stdout, stderr and every file. Also fails if one of them is large. */
const assertHarmlessOutput = ({ stdout, stderr, files }: MainResult): void => {
  assertHarmless(stderr)
  for (const line of stderr.split('\n'))
    assert.ok(Buffer.byteLength(line) < 16 << 10, 'a line of stderr has 16 KiB or more')
  for (const text of [stdout, ...Object.values(files)]) {
    assertHarmless(text)
    assert.ok(text.length < 32 << 10, 'a document has 32 Ki characters or more')
  }
}

/** Checks the output like `assertHarmlessOutput`. Also fails if a Markdown report has a link, an image or HTML. */
const assertHarmlessMarkdown = (result: MainResult): void => {
  assertHarmlessOutput(result)
  for (const text of [result.stdout, result.files['summary.md'] ?? '']) {
    const isMarkdown = text.startsWith('# svc ')
    if (isMarkdown) assert.equal(findActiveMarkdown(text), [], text)
  }
}

/** Returns a result without one of its files: an input of the run, which may contain hostile texts. */
const omitFile = (result: MainResult, path: string): MainResult => {
  const { [path]: _omitted, ...files } = result.files
  return { ...result, files }
}

/** Creates a `fetch` that returns this response to every request. */
const createFetchStub =
  (status: number, headers: Readonly<Record<string, string>>, body: string) =>
  async (): Promise<FetchResponse> => ({
    status,
    header: (name) => headers[name] ?? null,
    body: (async function* () {
      yield Buffer.from(body)
    })(),
  })

const env = { SERVICE_API_KEY: apiKey, GITHUB_STEP_SUMMARY: 'summary.md' }
/** A request with a yes/no question (a `noul`). */
const request = '{"state":"s","questions":{"q":{"type":"noul"}}}'
const reviewConfig = JSON.stringify({
  spec: 'spec.md',
  units: [{ name: 'u', spec_heading: '# S', implementation: ['a.ts'], behaviors: ['adds'] }],
})
const reviewFiles = { 'svc-review.json': reviewConfig, 'spec.md': '# S\n', 'a.ts': 'a' }

const serviceCommand = fc.constantFrom<ReadonlyArray<string>>(
  ['ask'],
  ['ask', '--pretty', '--log-level=debug'],
  ['models'],
  ['review'],
  ['batch', '--noul=q=x', '--input=rows.jsonl', '--log-level=debug'],
  ['review', '--json', '--junit=r.xml'],
  ['review', '--junit=r.xml', '--log-level=info'],
)

/** Runs a command that calls the service, and checks its output. */
const checkCall = async (argv: ReadonlyArray<string>, fetch: () => Promise<FetchResponse>) => {
  const result = await runMain({
    argv: [...argv, '--max-retries=1'],
    env,
    stdin: request,
    files: { ...reviewFiles, 'rows.jsonl': '1\n2\n' },
    fetch,
  })
  assertHarmlessMarkdown(result)
}

test('makes error messages, request ids and redirect targets harmless', async () => {
  const textPair = fc.tuple(hostileOrLongText, hostileOrLongText)
  const errorDocument = fc.oneof(
    textPair.map(([detail, id]) => ({ detail, request_id: id })),
    textPair.map(([type, message]) => ({ detail: { error_type: type, message } })),
    textPair.map(([field, message]) => ({
      detail: [{ loc: ['body', field], msg: message }, message],
    })),
    textPair.map(([message, id]) => ({ error: { message }, request_id: id })),
  )
  const errorBody = fc.oneof(
    errorDocument.map((document) => JSON.stringify(document)),
    hostileOrLongText,
  )
  const status = fc.constantFrom(302, 400, 401, 422, 429, 500)
  const headers = textPair.map(([requestId, location]) => ({
    'x-service-request-id': requestId,
    location,
    'retry-after-ms': '0',
  }))
  await fuzz(
    fc.tuple(serviceCommand, status, headers, errorBody),
    { inputCount },
    async ([argv, code, headerFields, body]) => {
      await checkCall(argv, createFetchStub(code, headerFields, body))
    },
  )
})

test('makes the names of content encodings harmless', async () => {
  await fuzz(
    fc.tuple(serviceCommand, hostileOrLongText),
    { inputCount: inputCountForOnePlace },
    async ([argv, encoding]) => {
      await checkCall(argv, createFetchStub(200, { 'content-encoding': encoding }, '{}'))
    },
  )
})

test('makes models, request ids, answers and their ids harmless', async () => {
  /** A command line, and the body of the response to it. */
  const call = fc
    .record({
      argv: serviceCommand,
      answerId: hostileOrLongText,
      answerType: hostileOrLongText,
      weakestArea: hostileOrLongText,
      model: hostileOrLongText,
      requestId: hostileOrLongText,
      hasUnknownType: rarelyTrue,
      hasInvalidAnswer: rarelyTrue,
    })
    .map((generated) => {
      const { argv, answerId, answerType, weakestArea, hasUnknownType, hasInvalidAnswer } =
        generated
      // The ids are those of the questions that `svc review` asks.
      const harmlessAnswers = { covers_00: { type: 'noul', noul: 0.1 } }
      const hostileAnswers: Record<string, object> = {
        ...harmlessAnswers,
        contradicts_spec: { type: 'noul', noul: 0.1 },
        thoroughness: { type: hasUnknownType ? answerType : 'score', score: 1, confidence: 1 },
        weakest_area: { type: 'choice', choice: weakestArea, confidence: 1 },
      }
      if (hasInvalidAnswer) hostileAnswers[answerId] = { type: 'noul' }
      // `ask` prints the texts of valid answers unchanged, so it gets hostile texts only in an invalid document.
      const getsHostileAnswers = argv[0] === 'review' || hasInvalidAnswer
      const answers = getsHostileAnswers ? hostileAnswers : harmlessAnswers
      const body = { model: generated.model, answers, models: [], request_id: generated.requestId }
      return { argv, body: JSON.stringify(body) }
    })
  await fuzz(call, { inputCount }, async ({ argv, body }) => {
    await checkCall(argv, createFetchStub(200, {}, body))
  })
})

test('makes the texts of a review configuration harmless', async () => {
  const unit = fc
    .record({
      name: hostileText,
      note: hostileText,
      behavior: hostileText,
      path: generateHostileText(),
      isFileMissing: rarelyTrue,
    })
    .map(({ name, note, behavior, path, isFileMissing }) => ({
      name: `u${name}`,
      spec_heading: '# S',
      implementation: [isFileMissing ? `gone/${path.replaceAll('\0', '')}` : 'a.ts'],
      behaviors: [`adds ${behavior}`, `takes ${note}`],
      accepted: [`takes ${note}`],
      notes: [note],
    }))
  const answers = {
    covers_00: { type: 'noul', noul: 0 },
    covers_01: { type: 'noul', noul: 0 },
    contradicts_spec: { type: 'noul', noul: 0.1 },
    thoroughness: { type: 'score', score: 1, confidence: 1 },
    weakest_area: { type: 'choice', choice: 'none', confidence: 1 },
  }
  const fetch = createFetchStub(200, {}, JSON.stringify({ model: 'm', answers }))
  const commandLine = fc.constantFrom<ReadonlyArray<string>>(
    ['review', '--junit=r.xml'],
    ['review', '--json'],
    ['review', '--dry-run'],
    ['review', '--dry-run', '--json'],
  )
  await fuzz(fc.tuple(commandLine, unit), { inputCount }, async ([argv, hostileUnit]) => {
    const config = JSON.stringify({ spec: 'spec.md', units: [hostileUnit] })
    const files = { ...reviewFiles, 'svc-review.json': config }
    const result = await runMain({ argv, env, files, fetch })
    const isReviewed = result.code === exitCodes.ok || result.code === exitCodes.flagged
    assert.ok(isReviewed, result.stderr)
    assertHarmlessOutput(omitFile(result, 'svc-review.json'))
  })
})

test('makes the messages of a tracing collector harmless', async () => {
  // HTTP allows only these characters in a status text.
  const statusText = hostileOrLongText.map((text) =>
    text.replace(/[^\t -~\u0080-\u00ff]/g, '').slice(0, 5000),
  )
  const tracingKey = 'Tk-7\\x'
  /** The text that the collector sends next, both as its status text and as its body. */
  let reply = ''
  const collector = await startHttpServer((incoming, response) => {
    incoming.resume().on('end', () => response.writeHead(400, reply).end(reply))
  })
  const tracingEnv = {
    ...env,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    TRACING_API_KEY: tracingKey,
  }
  try {
    await fuzz(statusText, { inputCount: inputCountForOnePlace }, async (text) => {
      reply = `${text} ${tracingKey}`
      const answers = '{"model":"m","answers":{"q":{"type":"noul","noul":1}}}'
      const fetch = createFetchStub(200, {}, answers)
      const result = await runMain({ argv: ['ask'], env: tracingEnv, stdin: request, fetch })
      assertHarmlessMarkdown(result)
      assert.match(result.stderr, 'svc: tracing shutdown: ')
      // In any spelling and letter case, the key begins with these characters.
      assert.not.match(result.stderr.toLowerCase(), 'tk-7')
    })
  } finally {
    await collector.close()
  }
})

test('makes an answer that does not meet a requirement harmless', async () => {
  const argv = ['ask', "--require=q.choice == 'x'", '--state=s', '--choice=q=Which?:x,y']
  await fuzz(hostileOrLongText, { inputCount: inputCountForOnePlace }, async (choice) => {
    const body = { model: 'm', answers: { q: { type: 'choice', choice, confidence: 1 } } }
    const fetch = createFetchStub(200, {}, JSON.stringify(body))
    const { code, stderr } = await runMain({ argv, env, fetch })
    assert.is(code, choice === 'x' ? exitCodes.ok : exitCodes.flagged)
    assertHarmless(stderr)
  })
})

test('makes the texts of a run record harmless', async () => {
  const records = fc
    .record({
      id: hostileText,
      group: hostileText,
      question: hostileText,
      model: hostileText,
      label: hostileText,
      message: hostileText,
    })
    .map(({ id, group, question, model, label, message }) => {
      const probabilities = { [label]: 0.75, other: 0.25 }
      const answer = { type: 'choice', choice: label, confidence: 0.5, probabilities }
      const answers = { [question]: answer, q: answer }
      const labels = { [question]: label, q: label }
      const answered = { index: 0, id, group, labels, model, answers }
      const failed = {
        index: 1,
        id: `${id}2`,
        error: { kind: 'server', message, request_id: id },
      }
      return `${JSON.stringify(answered)}\n${JSON.stringify(failed)}\n`
    })
  const commandLine = fc.constantFrom<ReadonlyArray<string>>(
    ['gate', '--input=run', "--require=q.choice == 'other'", '--junit=r.xml', '--allow-errors'],
    ['gate', '--input=run', "--require=q.choice == 'other'", '--table'],
    ['eval', '--input=run', '--by-group'],
    ['eval', '--input=run', '--by-group', '--table'],
    ['compare', 'run', 'run', '--by-id'],
    ['compare', 'run', 'run', '--by-id', '--table'],
  )
  let acceptedCount = 0
  await fuzz(fc.tuple(commandLine, records), { inputCount }, async ([argv, text]) => {
    const result = await runMain({ argv, env, files: { run: text } })
    assertHarmlessOutput(omitFile(result, 'run'))
    if (result.code !== exitCodes.usage) acceptedCount += 1
  })
  // svc refuses a few records, such as one whose label is "other".
  assert.ok(acceptedCount > inputCount / 2, `svc accepted ${acceptedCount} runs`)
})

test('makes arguments in error messages harmless', async () => {
  // An argument of a process cannot contain NUL.
  const argument = generateHostileText(apiKey).map((text) => text.replaceAll('\0', ''))
  const commandLine = argument.chain((text) =>
    fc.constantFrom<ReadonlyArray<string>>(
      [text],
      ['help', text],
      ['ask', text],
      ['ask', `--${text}`],
      ['ask', `-${text}`],
      ['ask', '--timeout', text],
      ['ask', '--base-url', text],
      ['ask', '--log-level', text],
      ['ask', '--file', text],
      ['ask', '--state=s', '--choice', text],
      ['ask', '--state=s', '--noul', `${text}=`, '--noul', `${text}=`],
      ['review', '--units', text],
      ['review', 'init', '--units', text],
    ),
  )
  await fuzz(commandLine, { inputCount }, async (argv) => {
    const fetch = () => Promise.reject(new Error(apiKey))
    const { stdout, stderr } = await runMain({ argv, env, fetch })
    assertHarmless(stderr)
    assertHarmless(stdout)
  })
})

test.run()

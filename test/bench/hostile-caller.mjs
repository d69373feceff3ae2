/** Sends one hostile request many times at once: `hostile-caller.mjs <url> <name> <count>`. Prints how often each status came. */
import { request } from 'node:http'

const kib = 1 << 10
/** The default of `--max-body`. */
const most = 2048 * kib
const noul = '{"type":"noul"}'

/** As many pieces as fit between a beginning and an end. @param {string} head @param {(i: number) => string} piece @param {string} tail */
const filled = (head, piece, tail) => {
  const pieces = []
  for (let i = 0, size = head.length + tail.length; ; i++) {
    const next = (i > 0 ? ',' : '') + piece(i)
    size += next.length
    if (size > most) return `${head}${pieces.join('')}${tail}`
    pieces.push(next)
  }
}
const key = (/** @type {number} */ i) => JSON.stringify(i.toString(36))
/** @param {string} state @param {number} count @param {string} question */
const about = (state, count, question) => {
  const questions = Array.from({ length: count }, (_, i) => `${key(i)}:${question}`)
  return `{"state":${state},"questions":{${questions.join(',')}}}`
}
/** So many different words. */
const words = (/** @type {number} */ count) =>
  Array.from({ length: count }, (_, i) => `w${i.toString(36)}`).join(' ')
const asked = '{"type":"noul","instructions":"Was the order charged twice?"}'
/** Requests with a text state of nearly 2 MiB. */
const stateOf = (/** @type {string} */ piece) =>
  about(JSON.stringify(piece.repeat((most - 4 * kib) / Buffer.byteLength(piece))), 3, asked)
/** @param {number} count @param {(i: number) => string} text */
const list = (count, text) => Array.from({ length: count }, (_, i) => text(i)).join(',')

/** @type {Record<string, () => string>} */
const documents = {
  'a text of 2 MiB': () => stateOf('the order was charged twice and. '),
  '20,000 words, 1,000 questions': () =>
    about(JSON.stringify(words(20_000)), 1000, `{"type":"noul","instructions":"${words(12)}"}`),
  '32,000 different words': () => about(JSON.stringify(words(32_000)), 3, asked),
  '32,000 words of a question': () =>
    about('1', 1, `{"type":"noul","instructions":"${words(32_000)}"}`),
  'one long word': () => stateOf('x'),
  'one long word, Chinese': () => stateOf('\u4e2d'),
  apostrophes: () => stateOf("'"),
  'back-quoted names': () =>
    about('{"a":1}', 1, `{"type":"noul","instructions":"${'`a` '.repeat(500 * kib)}"}`),
  'no words': () => stateOf('. '),
  'escaped text': () => stateOf('\n'),
  '1,000 questions of 47 labels': () =>
    about('1', 999, `{"type":"choice","criteria":{${list(47, (i) => `"order ${i}":null`)}}}`),
  '49,000 labels': () =>
    about('1', 1, `{"type":"choice","criteria":{${list(49_000, (i) => `"l${i}":null`)}}}`),
  '49,000 levels': () =>
    about('1', 1, `{"type":"score","criteria":[${list(49_000, (i) => `"l${i}"`)}]}`),
  'a label of 1 MiB': () =>
    about('1', 1, `{"type":"choice","criteria":{"${'x'.repeat(1024 * kib)}":null,"b":null}}`),
  questions: () => filled('{"state":1,"questions":{', (i) => `${key(i)}:${noul}`, '}}'),
  members: () => filled(`{"state":1,"questions":{"q":${noul}},`, (i) => `${key(i)}:1`, '}'),
  'members of the state': () =>
    filled('{"state":{', (i) => `${key(i)}:1`, `},"questions":{"q":${asked}}}`),
  'numbers in the state': () => filled('{"state":[', () => '1', `],"questions":{"q":${asked}}}`),
  'faults with long names': () =>
    `{"state":1,"questions":{"${'q'.repeat(1024 * kib)}":{"type":"noul",${list(40_000, (i) => `"x${i}":1`)}}}}`,
  'unknown fields': () => about('1', 1, `{"type":"noul",${list(49_000, (i) => `"x${i}":1`)}}`),
  'escaped labels': () =>
    about('1', 1, `{"type":"choice","criteria":{${list(40_000, (i) => `"\\u00e9\\n${i}":null`)}}}`),
  'numbers beside the state': () =>
    about('1', 190, `{"type":"choice","criteria":{${list(250, (i) => `"l${i}":1`)}}}`),
  'members beside the state': () =>
    `{"state":1,"questions":{"q":${noul}},${list(49_000, (i) => `"x${i}":1`)}}`,
  depth: () =>
    `{"state":${'['.repeat(1000 * kib)}${']'.repeat(1000 * kib)},"questions":{"q":${asked}}}`,
  'half a document': () => `{"state":${'["a",'.repeat(400 * kib)}`,
  'over 2 MiB': () => ' '.repeat(8 * most),
}

const [url = '', name = '', count = '1'] = process.argv.slice(2)
if (url === '') console.log(JSON.stringify(Object.keys(documents)))
else {
  const body = documents[name]?.() ?? ''
  const headers = { authorization: 'Bearer hostile', 'content-type': 'application/json' }
  const options = {
    method: 'POST',
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
  }
  const once = () =>
    new Promise((done) => {
      const call = request(`${url}/v1/questions`, options, (response) =>
        response.resume().on('close', () => done(response.statusCode)),
      )
      call.on('error', () => done('cut')).end(body)
    })
  /** @type {Record<string, number>} */
  const statuses = {}
  for (const status of await Promise.all(Array.from({ length: Number(count) }, once)))
    statuses[String(status)] = (statuses[String(status)] ?? 0) + 1
  console.log(JSON.stringify(statuses))
}

/** Sends one hostile request many times at once: `hostile-caller.mjs <url> <name> <count>`. Prints how often each status came. */
import { request } from 'node:http'

const mib = 1 << 20
const most = 16 * mib
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
const words = (/** @type {number} */ size) => 'the order was charged twice and. '.repeat(size / 33)
const labels = Array.from({ length: 255 }, (_, i) => `"order ${i}":"charged twice ${i}"`)
const asked = '{"type":"noul","instructions":"Was the order charged twice?"}'

/** @type {Record<string, () => string>} */
const documents = {
  'a text of 15 MiB': () => about(JSON.stringify(words(15 * mib)), 3, asked),
  'different words': () =>
    `${filled('{"state":"', (i) => `w${i.toString(36)}`, `","questions":{"q":${asked}}}`)}`,
  'different words, escaped': () =>
    `${filled('{"state":"\\u4e2d', (i) => `w${i.toString(36)}`, `","questions":{"q":${asked}}}`)}`,
  'a long label': () =>
    about('1', 1, `{"type":"choice","criteria":{"\\u4e2d${'x '.repeat(3.9 * mib)}":"x"}}`),
  'one word': () => about(JSON.stringify('order '.repeat(2.6 * mib)), 1000, asked),
  'no words': () => about(JSON.stringify('. '.repeat(7 * mib)), 3, asked),
  '1,000 questions about 1 MiB': () => about(JSON.stringify(words(mib)), 1000, asked),
  '255 labels about 10 MiB': () =>
    about(JSON.stringify(words(10 * mib)), 1, `{"type":"choice","criteria":{${labels.join(',')}}}`),
  questions: () => filled('{"state":1,"questions":{', (i) => `${key(i)}:${noul}`, '}}'),
  '24,000 questions': () => about('1', 24_000, noul),
  labels: () =>
    filled(
      '{"state":1,"questions":{"q":{"type":"choice","criteria":{',
      (i) => `${key(i)}:null`,
      '}}}}',
    ),
  levels: () =>
    filled('{"state":1,"questions":{"q":{"type":"score","criteria":[', () => '1', ']}}}'),
  members: () => filled(`{"state":1,"questions":{"q":${noul}},`, (i) => `${key(i)}:1`, '}'),
  'members of the state': () =>
    filled('{"state":{', (i) => `${key(i)}:1`, `},"questions":{"q":${asked}}}`),
  'numbers in the state': () => filled('{"state":[', () => '1', `],"questions":{"q":${asked}}}`),
  'faults with long names': () => {
    const faults = Array.from({ length: 40_000 }, (_, i) => `"x${i}":1`)
    return `{"state":1,"questions":{"${'q'.repeat(8 * mib)}":{"type":"noul",${faults.join(',')}}}}`
  },
  depth: () =>
    `{"state":${'['.repeat(7.9 * mib)}${']'.repeat(7.9 * mib)},"questions":{"q":${asked}}}`,
  'half a document': () => `{"state":${'["a",'.repeat(3 * mib)}`,
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

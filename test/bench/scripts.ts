import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Posts a file as it is and prints the answer: the least a Node program can do for one call. */
const post = `
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
const body = readFileSync(process.argv[3])
const headers = { 'content-type': 'application/json', 'content-length': body.length, authorization: 'Bearer k' }
const call = request(process.argv[2] + '/v1/questions', { method: 'POST', headers }, (response) => {
  const chunks = []
  response.on('data', (chunk) => chunks.push(chunk))
  response.on('end', () => process.stdout.write(Buffer.concat(chunks)))
})
call.end(body)
`

/** The same, with the document parsed on the way. */
const parseAndPost = post.replace(
  'const headers',
  "JSON.parse(body.toString('utf8'))\nconst headers",
)

/** Sends a request (`GET <url>`), parses the answer and prints it anew: the least that reads what it passes on. */
const askAndPrint = `
import { request } from 'node:http'
const call = request(process.argv[3], { method: process.argv[2] }, (response) => {
  const chunks = []
  response.on('data', (chunk) => chunks.push(chunk))
  response.on('end', () => {
    process.stdout.write(JSON.stringify(JSON.parse(Buffer.concat(chunks).toString('utf8'))))
  })
})
call.end()
`

/** Loaded before a program, reports its peak memory in KiB on descriptor 3 when it ends. */
const peak = `
process.on('exit', () => require('node:fs').writeSync(3, String(process.resourceUsage().maxRSS)))
`

/** A document of nearly 16 MiB: a state of many records and one question. */
const document = (): string => {
  const record = (id: number): string =>
    `{"id":${id},"at":"2026-09-10T18:38:01Z","amount":${id}.50,"paid":true,"tags":["a","b"],"note":"Charged twice, \\"no\\" answer"}`
  const records: string[] = []
  const most = (16 << 20) - 1000
  for (let length = 0, id = 0; length < most; id++) {
    const next = record(id)
    length += next.length + 1
    if (length < most) records.push(next)
  }
  return `{"state":[${records.join(',')}],"questions":{"q":{"type":"noul","instructions":"Late?"}}}`
}

/** As many entries as fit into 16 MiB. */
const filled = (entry: (index: number) => string): string => {
  const entries: string[] = []
  for (let [length, index] = [0, 0]; length < (16 << 20) - 1000; index++) {
    const next = entry(index)
    length += next.length + 1
    entries.push(next)
  }
  return entries.join(',')
}

/** Answers of nearly 16 MiB to the operations of the service. */
export const largeAnswers = () => {
  const shares = '{"billing":0.91,"bug":0.05,"praise":0.03,"other":0.01}'
  return {
    answers: `{"model":"svc-1","answers":{${filled((i) => `"q${i}":{"type":"choice","choice":"billing","confidence":0.88,"probabilities":${shares}}`)}}}`,
    models: `{"models":[${filled((i) => `{"name":"m-${i}","description":"A model","release_date":"2026-01-01"}`)}]}`,
  }
}

/** Scripts and documents to measure with, in a folder that ends with this process. */
export const props = () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const put = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  return {
    empty: put('empty.mjs', ''),
    post: put('post.mjs', post),
    parseAndPost: put('parse-and-post.mjs', parseAndPost),
    askAndPrint: put('ask-and-print.mjs', askAndPrint),
    peak: put('peak.cjs', peak),
    small: put(
      'small.json',
      '{"state":"s","questions":{"q":{"type":"noul","instructions":"Late?"}}}',
    ),
    large: put('large.json', document()),
  }
}

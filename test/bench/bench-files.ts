import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTemporaryFolder } from '../support/folders'

/** `node post.mjs <url> <file>`: posts a file without parsing it and prints the response. No program for one call can do less. */
const postScript = `
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

/** Like `postScript`, but parses the file first. */
const parseAndPostScript = postScript.replace(
  'const headers',
  "JSON.parse(body.toString('utf8'))\nconst headers",
)

/** `node fetch-and-print.mjs <method> <url>`: parses the response and prints it as JSON. */
const fetchAndPrintScript = `
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

/** A module for `node --require`. It writes the peak memory of the process in KiB to file descriptor 3. */
const memoryReporterScript = `
process.on('exit', () => require('node:fs').writeSync(3, String(process.resourceUsage().maxRSS)))
`

/** A request with a yes/no question (a `noul`). */
const smallRequest = '{"state":"s","questions":{"q":{"type":"noul","instructions":"Late?"}}}'

/** The maximum size of a list in a document of 16 MiB, the most that svc reads. The members around it need less than 1,000 bytes. */
const maxListBytes = (16 << 20) - 1000

/** Joins as many entries as fit into `maxListBytes`. An entry must have only ASCII characters. */
const fillList = (formatEntry: (index: number) => string): string => {
  const entries: string[] = []
  let bytes = 0
  while (true) {
    const entry = formatEntry(entries.length)
    bytes += entry.length + ','.length
    if (bytes >= maxListBytes) return entries.join(',')
    entries.push(entry)
  }
}

const createLargeRequest = (): string => {
  const records = fillList(
    (id) =>
      `{"id":${id},"at":"2026-09-10T18:38:01Z","amount":${id}.50,"paid":true,"tags":["a","b"],"note":"Charged twice, \\"no\\" answer"}`,
  )
  return `{"state":[${records}],"questions":{"q":{"type":"noul","instructions":"Late?"}}}`
}

/** Creates responses of nearly 16 MiB. */
export const createLargeResponses = (): { readonly answers: string; readonly models: string } => {
  const probabilities = '{"billing":0.91,"bug":0.05,"praise":0.03,"other":0.01}'
  const answers = fillList(
    (i) =>
      `"q${i}":{"type":"choice","choice":"billing","confidence":0.88,"probabilities":${probabilities}}`,
  )
  const models = fillList(
    (i) => `{"name":"m-${i}","description":"A model","release_date":"2026-01-01"}`,
  )
  return {
    answers: `{"model":"svc-1","answers":{${answers}}}`,
    models: `{"models":[${models}]}`,
  }
}

/** Writes the scripts and requests into a temporary folder. Returns their paths. */
export const writeBenchFiles = () => {
  const folder = createTemporaryFolder()
  const writeFile = (name: string, text: string): string => {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }
  return {
    empty: writeFile('empty.mjs', ''),
    post: writeFile('post.mjs', postScript),
    parseAndPost: writeFile('parse-and-post.mjs', parseAndPostScript),
    fetchAndPrint: writeFile('fetch-and-print.mjs', fetchAndPrintScript),
    memoryReporter: writeFile('memory-reporter.cjs', memoryReporterScript),
    smallRequest: writeFile('small.json', smallRequest),
    largeRequest: writeFile('large.json', createLargeRequest()),
  }
}

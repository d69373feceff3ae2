/** The least that asks about every line of a file, 16 at a time over kept connections, and writes the answers in order. */
import { readFileSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'

const [input = '', output = ''] = process.argv.slice(2)
const rows = readFileSync(input, 'utf8').trimEnd().split('\n')
const agent = new Agent({ keepAlive: true, maxSockets: 16 })
const questions = { double: { type: 'noul', instructions: 'Was the customer charged twice?' } }
const headers = { 'content-type': 'application/json', authorization: 'Bearer k' }
const url = `${process.env.SERVICE_BASE_URL}/v1/questions`

/** @param {string} row @returns {Promise<string>} */
const ask = (row) =>
  new Promise((done, failed) => {
    const body = JSON.stringify({ model: 'svc-latest', state: JSON.parse(row), questions })
    const length = { 'content-length': Buffer.byteLength(body) }
    const call = request(url, { method: 'POST', agent, headers: { ...headers, ...length } })
    call.on('error', failed)
    call.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => done(JSON.stringify(JSON.parse(text))))
    })
    call.end(body)
  })

/** @type {string[]} */
const lines = []
const queue = rows.entries()
const worker = async () => {
  for (const [index, row] of queue) lines[index] = await ask(row)
}
await Promise.all(Array.from({ length: 16 }, worker))
writeFileSync(output, `${lines.join('\n')}\n`)
process.exit()

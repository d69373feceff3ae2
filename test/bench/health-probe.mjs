/** Asks `GET /healthz` again and again until its stdin ends: `health-probe.mjs <url>`. Prints the longest answer, in ms. */
import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

const [url = ''] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true })
const once = () =>
  new Promise((done, failed) => {
    get(`${url}/healthz`, { agent }, (response) => response.resume().on('end', done)).on(
      'error',
      failed,
    )
  })

let going = true
process.stdin.resume().on('end', () => {
  going = false
})
let longest = 0
await once()
while (going) {
  const started = performance.now()
  await once()
  longest = Math.max(longest, performance.now() - started)
  await sleep(5)
}
console.log(longest)
process.exit()

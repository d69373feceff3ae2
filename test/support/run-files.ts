/**
 * Runs built test files one after another in this process: `node run-files.mjs <file>…`. A file that runs no test fails,
 * since uvu is silent when `test.run()` is forgotten.
 */
import { run } from 'uvu/run'

const files = process.argv.slice(2)
await run(files.map((file) => ({ name: file, file })))

/** What uvu keeps for each file: the suites that it ran. */
const { UVU_QUEUE } = globalThis as unknown as {
  readonly UVU_QUEUE: ReadonlyArray<ReadonlyArray<unknown>>
}
for (const [at, suites] of UVU_QUEUE.entries())
  if (suites.length === 0) {
    console.log(`no test ran in ${files[at]}`)
    process.exitCode = 1
  }

// A test that fails leaves open what it would have closed, and the process would wait for that until it is killed.
if (process.exitCode) process.exit()

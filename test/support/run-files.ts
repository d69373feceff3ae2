/**
 * Runs built test files one after another in this process: `node run-files.mjs <file>…`. Fails if a file runs no test, because
 * uvu reports nothing if `test.run()` is missing.
 */
import { run } from 'uvu/run'

const files = process.argv.slice(2)
await run(files.map((file) => ({ name: file, file })))

/** The suites that uvu ran: a list for each file, in order. */
const { UVU_QUEUE } = globalThis as unknown as {
  readonly UVU_QUEUE: ReadonlyArray<ReadonlyArray<unknown>>
}
for (const [index, suites] of UVU_QUEUE.entries())
  if (suites.length === 0) {
    console.log(`no test ran in ${files[index]}`)
    process.exitCode = 1
  }

// A failed test may leave servers open, which would keep the process from ending.
if (process.exitCode) process.exit()

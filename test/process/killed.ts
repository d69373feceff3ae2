import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { createRandom } from '../../lib/runtime/random'
import { type Ended, folder, start } from '../support/program'
import { startRowService } from './batch-service'

const rows = 150
const concurrency = 4
/** Rows in flight when a run ends. Only these may be asked again. */
const window = 4 * concurrency

const at = (name: string): string => join(folder, name)

/** Whole records in the output. */
const recorded = (output: string): number =>
  existsSync(at(output)) ? readFileSync(at(output), 'utf8').split('\n').length - 1 : 0

/**
 * Kills a run again and again at random moments and resumes it, until it was killed this often. Fails unless each run
 * equals an undisturbed one byte for byte, and only rows in flight were asked again. Resolves to the number of kills,
 * and of rows that were asked again.
 */
export const interruptAndResume = async (
  kills: number,
  signal: 'SIGKILL' | 'SIGINT',
  check: (ended: Ended) => void,
): Promise<{ readonly kills: number; readonly again: number }> => {
  const service = await startRowService()
  const random = createRandom(20260910)
  writeFileSync(at('rows.jsonl'), Array.from({ length: rows }, (_, row) => `${row}\n`).join(''))
  const batch = (output: string) =>
    start(
      ['batch', '-i', 'rows.jsonl', '-o', output, '--resume', '--noul', 'q=Is it?'].concat(
        '--concurrency',
        `${concurrency}`,
      ),
      { env: { SERVICE_API_KEY: 'k', SERVICE_BASE_URL: service.url } },
    )
  const whole = await batch('whole.jsonl').ended
  assert.is(whole.code, 0, whole.stderr)
  const expected = readFileSync(at('whole.jsonl'), 'utf8')
  const count = { kills: 0, again: 0 }
  while (count.kills < kills) {
    rmSync(at('run.jsonl'), { force: true })
    const asked: number[] = []
    for (;;) {
      const before = recorded('run.jsonl')
      service.forget()
      const { child, ended } = batch('run.jsonl')
      const moment = 1 + random.below(60)
      await Promise.race([service.until(moment), ended])
      if (count.kills < kills) child.kill(signal)
      const end = await ended
      const now = service.asked()
      assert.ok(
        now.every((row) => row >= before),
        'no recorded row is asked again',
      )
      count.again += now.filter((row) => asked.includes(row)).length
      asked.push(...now)
      if (end.code === 0) break
      count.kills += 1
      check(end)
      const lost = Math.max(0, ...now.map((row) => row + 1)) - recorded('run.jsonl')
      assert.ok(lost <= window, `${lost} rows on their way`)
    }
    assert.is(readFileSync(at('run.jsonl'), 'utf8'), expected)
  }
  service.close()
  return count
}

import { existsSync, readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const test = suite('SECURITY.md')

test('each promise names tests, and each of these is there', () => {
  const rows = readFileSync('SECURITY.md', 'utf8').match(/^\| .*/gm) ?? []
  const promises = rows.slice(2)
  assert.ok(promises.length > 10)
  for (const row of promises) {
    const shownBy = row.split(' | ')[1]?.match(/[^` |,]+/g) ?? []
    assert.ok(shownBy.length > 0, row)
    for (const name of shownBy) assert.ok(existsSync(`test/${name}.test.ts`), name)
  }
})

test.run()

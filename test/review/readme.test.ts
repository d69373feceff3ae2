import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { root } from '../support/folders'

const test = suite('review: the topic')

const read = (path: string): string => readFileSync(join(root, path), 'utf8')

test('the configuration shown is the one the scenario runs with', () => {
  const shown = /```json\n(.*?)```/s.exec(read('lib/help/topics/review.md'))?.[1] ?? ''
  assert.fixture(shown, read('fixtures/review/clean/svc-review.json'))
})

test.run()

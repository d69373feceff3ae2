import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { root } from '../support/folders'

const test = suite('review: README')

const read = (path: string): string => readFileSync(join(root, path), 'utf8')

test('the configuration shown is the one the scenario runs with', () => {
  const readme = read('README.md')
  const section = readme.slice(readme.indexOf('## Review tests against a spec'))
  const shown = /```json\n(.*?)```/s.exec(section)?.[1] ?? ''
  assert.fixture(shown, read('fixtures/review/clean/svc-review.json'))
})

test.run()

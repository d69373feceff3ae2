import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { root } from '../support/folders'

const test = suite('review: help topic')

const readProjectFile = (path: string): string => readFileSync(join(root, path), 'utf8')

test('the help topic shows the configuration of the scenario review/clean', () => {
  const topic = readProjectFile('lib/help/topics/review.md')
  const shownConfig = /```json\n(.*?)```/s.exec(topic)?.[1] ?? ''
  assert.fixture(shownConfig, readProjectFile('fixtures/review/clean/svc-review.json'))
})

test.run()

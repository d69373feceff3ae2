import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { exampleFiles } from '../../lib/help/tickets'
import { root } from '../support/folders'

const test = suite('help/tickets')

test('the files of svc init tickets are those of the worked example in svc help measuring', () => {
  for (const [name, content] of exampleFiles)
    if (name !== 'README.md')
      assert.is(content, readFileSync(join(root, 'test/measure/worked-example', name), 'utf8'))
})

test.run()

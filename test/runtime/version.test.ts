import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { describeOldNode } from '../../lib/runtime/node/version'
import { root } from '../support/folders'

const test = suite('runtime/version')

test('D65: which Nodes are too old', () => {
  for (const version of ['20.19.0', '20.20.2', '22.3.0', '22.10.1', '23.0.0', '24.1.0', '100.0.0'])
    assert.is(describeOldNode(version), undefined, version)
  for (const version of ['0.12.18', '8.17.0', '18.20.8', '20.18.3', '21.7.3', '22.0.0', '22.2.0'])
    assert.match(describeOldNode(version)?.stderr ?? '', `; this is ${version}\n`)
})

test('the manifest names the same versions', () => {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  assert.equal(engines, { node: '^20.19.0 || >=22.3.0' })
})

test.run()

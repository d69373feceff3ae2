import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findKey } from '../../lib/cli/find-key'
import { selectDestinationSettings } from '../../lib/client/providers/destination-settings'
import { systemError } from '../../lib/runtime/node/error-reason'
import type { Runtime } from '../../lib/runtime/runtime'
import { fakeRuntime } from '../support/runtime'

const test = suite('cli/find-key')

const file = 'SERVICE_API_KEY_FILE'

/** Finds the key if a file named `key` has this text, or if there is no such file. */
const find = (env: Runtime['env'], text?: string, isReadableByOthers = false) => {
  const { runtime } = fakeRuntime({ env })
  const read = async (path: string) => {
    if (path !== 'key' || text === undefined) throw systemError('ENOENT')
    return Buffer.from(text)
  }
  const files = { ...runtime.files, read, isReadableByOthers: async () => isReadableByOthers }
  return findKey({ ...runtime, files }, selectDestinationSettings({}, env))
}

test('a file that cannot be read, or holds no key, is a failure that names it', async () => {
  const env = { [file]: 'key', TYPESAFE_API_KEY: 'c' }
  const causes: ReadonlyArray<readonly [string | undefined, string]> = [
    [undefined, 'no such file or directory'],
    ['k'.repeat((16 << 10) + 1), 'it is longer than a key can be'],
  ]
  for (const [text, why] of causes) {
    const found = await find(env, text)
    assert.equal(found, { failure: { _tag: 'Usage', message: `read API key file: key: ${why}` } })
  }
})

test('svc notes a key file that others can read', async () => {
  assert.is((await find({ [file]: 'key' }, 'b', true)).isReadableByOthers, 'key')
  assert.is((await find({ [file]: 'key' }, 'b', false)).isReadableByOthers, undefined)
})

test.run()

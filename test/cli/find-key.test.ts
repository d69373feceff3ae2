import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findKey } from '../../lib/cli/find-key'
import { selectDestinationSettings } from '../../lib/client/providers/destination-settings'
import { usage } from '../../lib/failure/failure'
import { createSystemError } from '../../lib/runtime/node/error-reason'
import { createFakeRuntime } from '../support/runtime'

const test = suite('cli/find-key')

interface KeyFile {
  /** The content of the file; `undefined` if there is no such file. */
  readonly text: string | undefined
  readonly isReadableByOthers?: boolean
}

/** Finds the key while `SERVICE_API_KEY_FILE` names the file `my.key`. */
const findKeyIn = ({ text, isReadableByOthers = false }: KeyFile) => {
  // svc must not fall back to the next variable if the file has a fault.
  const env = { SERVICE_API_KEY_FILE: 'my.key', TYPESAFE_API_KEY: 'key of the next variable' }
  const { runtime } = createFakeRuntime({ env })
  const read = async (path: string) => {
    if (path !== 'my.key' || text === undefined) throw createSystemError('ENOENT')
    return Buffer.from(text)
  }
  const files = { ...runtime.files, read, isReadableByOthers: async () => isReadableByOthers }
  return findKey({ ...runtime, files }, selectDestinationSettings({}, env))
}

test('fails if the file with the key does not exist', async () => {
  const failure = usage('read API key file: my.key: no such file or directory')
  assert.equal(await findKeyIn({ text: undefined }), { failure })
})

test('fails if the file with the key is over 16 KiB', async () => {
  const failure = usage('read API key file: my.key: it is longer than a key can be')
  assert.equal(await findKeyIn({ text: 'k'.repeat((16 << 10) + 1) }), { failure })
})

test('returns the path of a key file that other users can read', async () => {
  const found = await findKeyIn({ text: 'k', isReadableByOthers: true })
  assert.is(found.pathReadableByOthers, 'my.key')
})

test('returns no path of a key file that only its owner can read', async () => {
  const found = await findKeyIn({ text: 'k', isReadableByOthers: false })
  assert.is(found.pathReadableByOthers, undefined)
})

test.run()

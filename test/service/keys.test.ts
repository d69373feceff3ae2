import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readConfiguredKeys } from '../../lib/service/keys/configured-keys'
import { checkKeys, createKeys } from '../../lib/service/keys/keys'
import { createMemoryFiles } from '../support/files'
import { noLogger } from '../support/runtime'

const test = suite('service: API keys')

test('reads the keys of the list, then those of the file', async () => {
  const text = '\uFEFF# staff\r\na\r\n\r\n  b \n'
  const { files } = createMemoryFiles({ keys: text })
  const read = (list?: string, file?: string) =>
    readConfiguredKeys(
      { list, file },
      { files, log: noLogger, signal: new AbortController().signal },
    )()
  const keys = (...all: ReadonlyArray<string>) => E.right(all.map((key) => ({ key })))
  assert.equal(await read(' x, y ,,z'), keys('x', 'y', 'z'))
  assert.equal(await read(undefined, 'keys'), keys('a', 'b'))
  assert.equal(await read('x', 'keys'), keys('x', 'a', 'b'))
  assert.equal(await read(''), E.right([]))
})

const createApiKeys = (...keys: ReadonlyArray<string>) => keys.map((key) => ({ key }))

test('reads names of keys, in the list and in the file', async () => {
  const { files } = createMemoryFiles({ keys: 'shop:b\nc\n' })
  const read = (list: string) =>
    readConfiguredKeys(
      { list, file: 'keys' },
      { files, log: noLogger, signal: new AbortController().signal },
    )()
  const named = [{ name: 'web', key: 'a:1' }, { name: 'shop', key: 'b' }, { key: 'c' }]
  assert.equal(await read('web:a:1'), E.right(named))
  for (const list of ['two words:secret', ':secret', 'name:', `${'x'.repeat(65)}:secret`]) {
    const refused = await read(list)
    assert.ok(E.isLeft(refused), list)
    assert.not.match(JSON.stringify(refused), /secret/)
  }
})

test('refuses more than 100 different names', () => {
  const named = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ name: `n${i}`, key: `k${i}` }))
  const again = { name: 'n0', key: 'another' }
  assert.ok(E.isRight(checkKeys('127.0.0.1', [...named(100), again])))
  assert.ok(E.isLeft(checkKeys('127.0.0.1', named(101))))
})

test('accepts only configured keys, or any token if no key is configured', () => {
  const keys = createKeys([{ key: 'a' }, { name: 'shop', key: 'b' }])
  assert.is(keys.findHolder('a')?.name, undefined)
  assert.is(keys.findHolder('b')?.name, 'shop')
  assert.is.not(keys.findHolder('a')?.id, keys.findHolder('b')?.id)
  assert.is(keys.findHolder('c'), undefined)
  assert.is(keys.findHolder(''), undefined)
  const anyKey = createKeys([])
  assert.is.not(anyKey.findHolder('a')?.id, anyKey.findHolder('b')?.id)
  assert.not.match(anyKey.findHolder('long-and-secret')?.id ?? '', /secret/)
  assert.is(typeof anyKey.findHolder('')?.id, 'string')
})

test('a key that is in both lists has the same holder after a reload', () => {
  const keys = createKeys(createApiKeys('a', 'b'))
  const second = keys.findHolder('b')
  keys.replace(createApiKeys('b', 'c'))
  assert.is(keys.findHolder('a'), undefined)
  assert.equal(keys.findHolder('b'), second)
  assert.is.not(keys.findHolder('c')?.id, second?.id)
})

test('refuses a key with a blank, and does not repeat it', () => {
  const refused = checkKeys('127.0.0.1', createApiKeys('se cret'))
  assert.ok(E.isLeft(refused))
  assert.not.match(JSON.stringify(refused), /cret/)
})

test.run()

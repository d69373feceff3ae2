import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readConfiguredKeys } from '../../lib/service/keys/configured-keys'
import { checkKeys, createKeys } from '../../lib/service/keys/keys'
import { createMemoryFiles } from '../support/files'
import { noLogger } from '../support/runtime'

const test = suite('service: API keys')

/** Reads keys from SERVICE_API_KEYS (`list`), and from a file with the text `fileText` if there is one. */
const readKeys = (list: string | undefined, fileText?: string) => {
  const { files } = createMemoryFiles({ keys: fileText ?? '' })
  const file = fileText === undefined ? undefined : 'keys'
  const environment = { files, log: noLogger, signal: new AbortController().signal }
  return readConfiguredKeys({ list, file }, environment)()
}

const createApiKeys = (...keys: ReadonlyArray<string>) => keys.map((key) => ({ key }))

/** A file with a byte order mark, a comment, an empty line, spaces and two kinds of line breaks. */
const untidyFile = '\uFEFF# staff\r\na\r\n\r\n  b \n'

test('reads a comma-separated list of keys, without spaces and empty entries', async () => {
  assert.equal(await readKeys(' x, y ,,z'), E.right(createApiKeys('x', 'y', 'z')))
  assert.equal(await readKeys(''), E.right([]))
})

test('reads a file of keys, without comments, empty lines and a byte order mark', async () => {
  assert.equal(await readKeys(undefined, untidyFile), E.right(createApiKeys('a', 'b')))
})

test('reads the keys of the list, then those of the file', async () => {
  assert.equal(await readKeys('x', untidyFile), E.right(createApiKeys('x', 'a', 'b')))
})

test('reads names of keys, in the list and in the file', async () => {
  const expected = [{ name: 'web', key: 'a:1' }, { name: 'shop', key: 'b' }, { key: 'c' }]
  assert.equal(await readKeys('web:a:1', 'shop:b\nc\n'), E.right(expected))
})

for (const list of ['two words:secret', ':secret', 'name:', `${'x'.repeat(65)}:secret`])
  test(`refuses the named key ${list}, and does not repeat it`, async () => {
    const refusal = await readKeys(list)
    assert.ok(E.isLeft(refusal))
    assert.not.match(JSON.stringify(refusal), /secret/)
  })

test('names the line of an invalid key in the file', async () => {
  const refusal = await readKeys('x', '# staff\na\n\ntwo words:secret\n')
  assert.match(JSON.stringify(refusal), 'in line 4 of keys must be written name:key')
  assert.not.match(JSON.stringify(refusal), /secret/)
})

const createNamedKeys = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ name: `n${i}`, key: `k${i}` }))

test('refuses more than 100 different names', () => {
  assert.ok(E.isLeft(checkKeys('127.0.0.1', createNamedKeys(101))))
})

test('accepts several keys with the same name beside 99 other names', () => {
  const keyWithKnownName = { name: 'n0', key: 'another' }
  assert.ok(E.isRight(checkKeys('127.0.0.1', [...createNamedKeys(100), keyWithKnownName])))
})

test('accepts only configured keys', () => {
  const keys = createKeys([{ key: 'a' }, { name: 'shop', key: 'b' }])
  assert.is(keys.findHolder('a')?.name, undefined)
  assert.is(keys.findHolder('b')?.name, 'shop')
  assert.is.not(keys.findHolder('a')?.id, keys.findHolder('b')?.id)
  assert.is(keys.findHolder('c'), undefined)
  assert.is(keys.findHolder(''), undefined)
})

test('accepts any token, or none, if no key is configured', () => {
  const keys = createKeys([])
  assert.is.not(keys.findHolder('a')?.id, keys.findHolder('b')?.id)
  assert.is(typeof keys.findHolder('')?.id, 'string')
})

test('the id of a holder does not reveal the key', () => {
  const id = createKeys([]).findHolder('long-and-secret')?.id
  assert.not.match(id ?? '', /secret/)
})

test('a key that is configured before and after a reload keeps its holder', () => {
  const keys = createKeys(createApiKeys('a', 'b'))
  const holderBefore = keys.findHolder('b')
  keys.replace(createApiKeys('b', 'c'))
  assert.is(keys.findHolder('a'), undefined)
  assert.equal(keys.findHolder('b'), holderBefore)
  assert.is.not(keys.findHolder('c')?.id, holderBefore?.id)
})

test('refuses a key with a space, and does not repeat it', () => {
  const refusal = checkKeys('127.0.0.1', createApiKeys('se cret'))
  assert.ok(E.isLeft(refusal))
  assert.not.match(JSON.stringify(refusal), /cret/)
})

test.run()

import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { mergePaths, parseBaseUrl } from '../../../lib/client/providers/endpoints'

const test = suite('providers/endpoints')

/** With 3 million slashes, a check that takes quadratic time would run for hours. */
const manySlashes = `http://h/${'/'.repeat(3_000_000)}a`

test('keeps the path of an address, and removes slashes at its end', () => {
  const cases: ReadonlyArray<readonly [address: string, url: string]> = [
    ['http://127.0.0.1:8787', 'http://127.0.0.1:8787'],
    ['http://127.0.0.1:8787/', 'http://127.0.0.1:8787'],
    ['https://gw.example/api', 'https://gw.example/api'],
    ['https://gw.example/api//', 'https://gw.example/api'],
    ['  HTTPS://GW.Example:443/Api/ \n', 'https://gw.example/Api'],
    ['http://[::1]:8787', 'http://[::1]:8787'],
    ['http://bücher.example', 'http://xn--bcher-kva.example'],
    ['http://h/a%20b', 'http://h/a%20b'],
    [manySlashes, manySlashes],
    ['http://h/@x', 'http://h/@x'],
  ]
  for (const [address, url] of cases) assert.equal(parseBaseUrl(address), E.right(url), address)
})

interface InvalidAddress {
  readonly address: string
  /** The address as messages show it, if that differs. */
  readonly shownAddress?: string
  readonly fault: string
}

test('names the fault of an invalid address, without its credentials', () => {
  const wrongScheme = 'the scheme must be http or https'
  const cases: ReadonlyArray<InvalidAddress> = [
    { address: 'ftp://h', fault: wrongScheme },
    { address: 'localhost:8787', fault: wrongScheme },
    { address: 'example.com', fault: wrongScheme },
    { address: '', fault: wrongScheme },
    { address: '//h', fault: wrongScheme },
    { address: 'file:///etc/passwd', fault: wrongScheme },
    { address: 'http://', fault: 'the host is missing' },
    { address: 'https://?q', shownAddress: 'https://?[redacted]', fault: 'the host is missing' },
    { address: 'http://:80', fault: 'the host is missing' },
    { address: 'http:///x', fault: 'the host is missing' },
    { address: 'http:x', fault: 'the host is missing' },
    { address: 'http:/u:p@h', shownAddress: 'http:/[redacted]@h', fault: 'the host is missing' },
    { address: 'http://h:99999', fault: 'it is not a valid URL' },
    { address: 'http://a b', fault: 'it is not a valid URL' },
    { address: 'http://h/a b', fault: 'it must not have blanks or control characters' },
    { address: 'http://h\t/a', fault: 'it must not have blanks or control characters' },
    { address: 'ht\ntp://h', fault: 'it must not have blanks or control characters' },
    { address: 'http://h/\u0085', fault: 'it must not have blanks or control characters' },
    {
      address: 'http://h?key=my-key&q=1#top',
      shownAddress: 'http://h?[redacted]',
      fault: 'it must not have a fragment',
    },
    {
      address: 'http://h?q=1',
      shownAddress: 'http://h?[redacted]',
      fault: 'it must not have a query',
    },
    {
      address: 'http://u@h?q=1',
      shownAddress: 'http://[redacted]@h?[redacted]',
      fault: 'it must not carry credentials',
    },
    { address: 'http://h/?', fault: 'it must not have a query' },
    { address: 'http://h/#top', fault: 'it must not have a fragment' },
    { address: 'http://h#', fault: 'it must not have a fragment' },
    {
      address: 'http://u:p@h/x',
      shownAddress: 'http://[redacted]@h/x',
      fault: 'it must not carry credentials',
    },
    {
      address: 'http://u@h',
      shownAddress: 'http://[redacted]@h',
      fault: 'it must not carry credentials',
    },
    {
      address: 'http://u:p@ss@h',
      shownAddress: 'http://[redacted]@h',
      fault: 'it must not carry credentials',
    },
    {
      address: 'http://u:pa/ss@h',
      shownAddress: 'http://[redacted]@h',
      fault: 'it is not a valid URL',
    },
    { address: 'ftp://u:p@h', shownAddress: 'ftp://[redacted]@h', fault: wrongScheme },
    { address: 'u:p@h', shownAddress: 'u:[redacted]@h', fault: wrongScheme },
    { address: `http:${'/'.repeat(3_000_000)}`, fault: 'the host is missing' },
  ]
  for (const { address, shownAddress = address, fault } of cases)
    assert.equal(parseBaseUrl(address), E.left(`"${shownAddress}": ${fault}`), address)
})

const systemone = { askPath: '/v1/systemone', modelsPath: '/v1/models' }
const questions = { askPath: '/v1/questions', modelsPath: '/v1/models' }
const gemini = { askPath: '/v1beta/decisions', modelsPath: '/v1beta/models' }

test('appends the paths of a dialect without the segments that the address ends in', () => {
  const cases: ReadonlyArray<readonly [base: string, ask: string, models: string]> = [
    ['https://h.test', 'https://h.test/v1/systemone', 'https://h.test/v1/models'],
    ['https://h.test/v1', 'https://h.test/v1/systemone', 'https://h.test/v1/models'],
    ['https://h.test/api/v1', 'https://h.test/api/v1/systemone', 'https://h.test/api/v1/models'],
    // The host `v1` and the segment `xv1` do not end in the segment `v1`.
    ['https://v1', 'https://v1/v1/systemone', 'https://v1/v1/models'],
    ['https://h.test/xv1', 'https://h.test/xv1/v1/systemone', 'https://h.test/xv1/v1/models'],
    ['https://systemone', 'https://systemone/v1/systemone', 'https://systemone/v1/models'],
  ]
  for (const [base, ask, models] of cases) {
    const endpoints = mergePaths(base, systemone)
    assert.is(endpoints.ask.url, ask)
    assert.is(endpoints.models.url, models)
  }
  assert.is(mergePaths('https://h.test/v1beta', gemini).ask.url, 'https://h.test/v1beta/decisions')
})

test('takes an address that ends in a path for asking as the whole address for asking', () => {
  const cases: ReadonlyArray<readonly [base: string, models: string]> = [
    ['https://h.test/v1/systemone', 'https://h.test/v1/models'],
    ['https://h.test/v1/questions', 'https://h.test/v1/models'],
    ['https://h.test/a/decisions', 'https://h.test/a/models'],
  ]
  for (const [base, models] of cases)
    for (const paths of [systemone, questions]) {
      const endpoints = mergePaths(base, paths)
      assert.is(endpoints.ask.url, base)
      assert.is(endpoints.models.url, models)
    }
})

test('appends the query of a path for models', () => {
  const paths = { ...systemone, modelsPath: '/v1/models?a=b' }
  for (const base of ['https://h.test', 'https://h.test/v1', 'https://h.test/v1/systemone'])
    assert.is(mergePaths(base, paths).models.url, 'https://h.test/v1/models?a=b')
})

test('messages show the path of the dialect if the URL ends in it, else the last segment', () => {
  assert.is(mergePaths('https://h.test/api/v1', systemone).ask.path, '/v1/systemone')
  assert.is(mergePaths('https://h.test/api/v1/systemone', systemone).ask.path, '/v1/systemone')
  assert.is(mergePaths('https://h.test/api/alpha/decisions', systemone).ask.path, '/decisions')
  assert.is(mergePaths('https://h.test/api/alpha/decisions', systemone).models.path, '/models')
})

test.run()

import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseBaseUrl } from '../../../lib/client/providers/base-url'

const test = suite('providers/base-url')

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
    { address: 'https://?q', fault: 'the host is missing' },
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
    { address: 'http://h?q=1', fault: 'it must not have a query' },
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

test.run()

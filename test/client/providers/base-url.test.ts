import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseBaseUrl } from '../../../lib/client/providers/base-url'

const test = suite('providers/base-url')

/** With 3 million slashes, a check that takes quadratic time would not end. */
const manySlashes = `http://h/${'/'.repeat(3_000_000)}a`

test('keeps the path of an address, and removes slashes at its end', () => {
  const cases = [
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
  ] as const
  for (const [text, url] of cases) assert.equal(parseBaseUrl(text), E.right(url), text)
})

test('names the fault of an invalid address, without its credentials', () => {
  const scheme = 'the scheme must be http or https'
  const cases = [
    ['ftp://h', 'ftp://h', scheme],
    ['localhost:8787', 'localhost:8787', scheme],
    ['example.com', 'example.com', scheme],
    ['', '', scheme],
    ['//h', '//h', scheme],
    ['file:///etc/passwd', 'file:///etc/passwd', scheme],
    ['http://', 'http://', 'the host is missing'],
    ['https://?q', 'https://?q', 'the host is missing'],
    ['http://:80', 'http://:80', 'the host is missing'],
    ['http:///x', 'http:///x', 'the host is missing'],
    ['http:x', 'http:x', 'the host is missing'],
    ['http:/u:p@h', 'http:/[redacted]@h', 'the host is missing'],
    ['http://h:99999', 'http://h:99999', 'it is not a valid URL'],
    ['http://a b', 'http://a b', 'it is not a valid URL'],
    ['http://h/a b', 'http://h/a b', 'it must not have blanks or control characters'],
    ['http://h\t/a', 'http://h\t/a', 'it must not have blanks or control characters'],
    ['ht\ntp://h', 'ht\ntp://h', 'it must not have blanks or control characters'],
    ['http://h/\u0085', 'http://h/\u0085', 'it must not have blanks or control characters'],
    ['http://h?q=1', 'http://h?q=1', 'it must not have a query'],
    ['http://h/?', 'http://h/?', 'it must not have a query'],
    ['http://h/#top', 'http://h/#top', 'it must not have a fragment'],
    ['http://h#', 'http://h#', 'it must not have a fragment'],
    ['http://u:p@h/x', 'http://[redacted]@h/x', 'it must not carry credentials'],
    ['http://u@h', 'http://[redacted]@h', 'it must not carry credentials'],
    ['http://u:p@ss@h', 'http://[redacted]@h', 'it must not carry credentials'],
    ['http://u:pa/ss@h', 'http://[redacted]@h', 'it is not a valid URL'],
    ['ftp://u:p@h', 'ftp://[redacted]@h', scheme],
    ['u:p@h', 'u:[redacted]@h', scheme],
    [`http:${'/'.repeat(3_000_000)}`, `http:${'/'.repeat(3_000_000)}`, 'the host is missing'],
  ] as const
  for (const [text, shown, fault] of cases)
    assert.equal(parseBaseUrl(text), E.left(`"${shown}": ${fault}`), text)
})

test.run()

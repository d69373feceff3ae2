import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { chooseProxy } from '../../lib/runtime/http/proxy-choice'

const test = suite('runtime/proxy-choice')

type Env = Readonly<Record<string, string>>

const httpUrl = 'http://service.example'
const httpsUrl = 'https://service.example'

/** Returns the address of the proxy, or `''` if `url` needs no proxy. If the setting is invalid, returns the message about it. */
const describeProxy = (url: string, env: Env): string => {
  const chosen = chooseProxy(env, new URL(url))
  return E.isLeft(chosen) ? chosen.left : String(chosen.right ?? '')
}

/** A service and an environment, and what `describeProxy` returns for them. */
interface ProxyChoice {
  readonly url: string
  readonly env: Env
  readonly proxy: string
}

const choices: ReadonlyArray<ProxyChoice> = [
  // Each variable is for one scheme. Its name may be in upper or lower case.
  { url: httpUrl, env: {}, proxy: '' },
  { url: httpUrl, env: { HTTP_PROXY: 'http://p:1' }, proxy: 'http://p:1/' },
  { url: httpUrl, env: { http_proxy: 'http://p:1' }, proxy: 'http://p:1/' },
  { url: httpsUrl, env: { HTTPS_PROXY: 'http://p:1' }, proxy: 'http://p:1/' },
  { url: httpsUrl, env: { https_proxy: 'https://p:1' }, proxy: 'https://p:1/' },
  // The name in upper case overrides the one in lower case.
  {
    url: httpsUrl,
    env: { HTTPS_PROXY: 'http://p:1', https_proxy: 'http://p:2' },
    proxy: 'http://p:1/',
  },
  // A variable does not apply to the other scheme.
  { url: httpsUrl, env: { HTTP_PROXY: 'http://p:1' }, proxy: '' },
  { url: httpUrl, env: { HTTPS_PROXY: 'http://p:1' }, proxy: '' },
  // ALL_PROXY is for both schemes, and the variable for one scheme overrides it.
  { url: httpsUrl, env: { ALL_PROXY: 'http://p:1' }, proxy: 'http://p:1/' },
  {
    url: httpsUrl,
    env: { ALL_PROXY: 'http://p:1', https_proxy: 'http://p:2' },
    proxy: 'http://p:2/',
  },
  // An empty variable counts as unset.
  { url: httpsUrl, env: { HTTPS_PROXY: '' }, proxy: '' },
  { url: httpsUrl, env: { HTTPS_PROXY: '', https_proxy: 'http://p:1' }, proxy: 'http://p:1/' },
]

for (const { url, env, proxy } of choices) {
  test(`${url} with ${JSON.stringify(env)} uses ${proxy || 'no proxy'}`, () => {
    assert.is(describeProxy(url, env), proxy)
  })
}

test('adds http:// to a value without a scheme, for all services', () => {
  for (const address of ['proxy.example:3128', 'user:p%40ss@proxy.example:3128']) {
    const proxy = `http://${address}/`
    assert.is(describeProxy(httpUrl, { http_proxy: address }), proxy)
    assert.is(describeProxy(httpsUrl, { https_proxy: address }), proxy)
    assert.is(describeProxy(httpUrl, { ALL_PROXY: address }), proxy)
    assert.is(describeProxy(httpsUrl, { ALL_PROXY: address }), proxy)
  }
})

test('names the variable of an invalid value, but never repeats the value', () => {
  const rule = 'must be the address of a proxy, with http:// or https:// or no scheme'
  for (const value of ['http://user:pass@[oops', 'socks5://user:pass@h:1080', 'http://', ' '])
    assert.is(describeProxy(httpsUrl, { https_proxy: value }), `https_proxy ${rule}`, value)
})

test('ignores an invalid value for a service in NO_PROXY', () => {
  assert.is(describeProxy(httpsUrl, { https_proxy: 'socks5://h', NO_PROXY: '*' }), '')
})

/** Returns `true` if requests to `url` use no proxy with this value of `NO_PROXY`. */
const bypassesProxy = (url: string, noProxy: string): boolean =>
  describeProxy(url, { ALL_PROXY: 'http://p:1', NO_PROXY: noProxy }) === ''

/** Asserts that requests to `url` use no proxy with the `matching` values of `NO_PROXY`, and the proxy with the `other` values. */
const assertMatches = (
  url: string,
  values: { readonly matching: ReadonlyArray<string>; readonly other: ReadonlyArray<string> },
): void => {
  for (const value of values.matching) assert.is(bypassesProxy(url, value), true, `${url} ${value}`)
  for (const value of values.other) assert.is(bypassesProxy(url, value), false, `${url} ${value}`)
}

test('matches names in NO_PROXY with the host and its parent domains', () => {
  assertMatches('https://service.example', {
    matching: [
      '*',
      'a, *',
      'service.example',
      'SERVICE.example',
      ' service.example ',
      'service.example.',
      'service.example:443',
      'a.example,service.example',
      'example',
      'example.',
      '.example',
      '*.example',
      // With an empty entry, and with a port
      'x,,.example:443',
    ],
    other: [
      '',
      ',',
      '.',
      ':443',
      // Only a part of the host, and the end of a name that is no parent domain
      'service',
      'ervice.example',
      // Only hosts below it
      '.service.example',
      '*.service.example',
      '*service.example',
      // Another port, and an invalid one
      'service.example:80',
      'service.example:x',
      'example.org',
    ],
  })
  assertMatches('https://service.example.', {
    matching: ['service.example', 'example.'],
    other: ['.service.example'],
  })
})

test('matches the port of an entry in NO_PROXY', () => {
  assertMatches('http://service.example', {
    matching: ['service.example:80'],
    other: ['service.example:443'],
  })
  assertMatches('http://service.example:8080', {
    matching: ['service.example:8080'],
    other: ['service.example:80'],
  })
})

test('reads no_proxy too', () => {
  assert.is(describeProxy(httpsUrl, { ALL_PROXY: 'http://p:1', no_proxy: 'example' }), '')
})

test('matches addresses and blocks of addresses in NO_PROXY', () => {
  assertMatches('http://10.1.2.3:8080', {
    matching: [
      '10.1.2.3',
      '10.1.2.3:8080',
      '10.1.2.3/32',
      '10.0.0.0/8',
      '10.0.0.0/8:8080',
      '0.0.0.0/0',
    ],
    other: ['10.1.2.4', '10.1.2.3:80', '10.1.0.0/24', '10.0.0.0/99', '10.0.0.0/x', '1.2.3', '.2.3'],
  })
  assertMatches('http://[fd00::1]', {
    matching: [
      'fd00::1',
      'FD00:0::1',
      '[fd00::1]',
      '[fd00::1]:80',
      'fd00::/8',
      '[fd00::]/8',
      '::/0',
    ],
    other: ['fd00::2', '[fd00::1]:443', 'fe80::/10', '10.0.0.0/8', '0.0.0.0/0'],
  })
})

test('never uses a proxy for this machine', () => {
  // `127.1` is short for 127.0.0.1.
  for (const host of ['127.0.0.1:8787', 'localhost', '[::1]:8787', '127.1'])
    assert.is(describeProxy(`http://${host}`, { HTTP_PROXY: 'http://p:1' }), '', host)
})

test.run()

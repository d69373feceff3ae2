import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { chooseProxy } from '../../lib/runtime/http/proxy-choice'

const test = suite('runtime/proxy-choice')

type Env = Readonly<Record<string, string>>

const http = 'http://service.example'
const https = 'https://service.example'

/** The proxy's address, `''` for none, or what is wrong with the setting. */
const proxyOf = (url: string, env: Env): string => {
  const chosen = chooseProxy(env, new URL(url))
  return E.isLeft(chosen) ? chosen.left : String(chosen.right ?? '')
}

test('which variable speaks for which target', () => {
  const table: ReadonlyArray<readonly [string, Env, string]> = [
    [http, {}, ''],
    [http, { HTTP_PROXY: 'http://p:1' }, 'http://p:1/'],
    [http, { http_proxy: 'http://p:1' }, 'http://p:1/'],
    [https, { HTTPS_PROXY: 'http://p:1' }, 'http://p:1/'],
    [https, { https_proxy: 'https://p:1' }, 'https://p:1/'],
    [https, { HTTPS_PROXY: 'http://p:1', https_proxy: 'http://p:2' }, 'http://p:1/'],
    [https, { HTTP_PROXY: 'http://p:1' }, ''],
    [http, { HTTPS_PROXY: 'http://p:1' }, ''],
    [https, { ALL_PROXY: 'http://p:1' }, 'http://p:1/'],
    [https, { ALL_PROXY: 'http://p:1', https_proxy: 'http://p:2' }, 'http://p:2/'],
    [https, { HTTPS_PROXY: '' }, ''],
    [https, { HTTPS_PROXY: '', https_proxy: 'http://p:1' }, 'http://p:1/'],
  ]
  for (const [url, env, expected] of table)
    assert.is(proxyOf(url, env), expected, JSON.stringify([url, env]))
})

test('a value without a scheme is a plain HTTP proxy, whatever the target is', () => {
  for (const url of [http, https])
    for (const name of ['ALL_PROXY', `${new URL(url).protocol.slice(0, -1)}_proxy`])
      for (const address of ['proxy.example:3128', 'user:p%40ss@proxy.example:3128'])
        assert.is(proxyOf(url, { [name]: address }), `http://${address}/`)
})

test('a value of no use is named by its variable and not repeated', () => {
  const why = 'must be the address of a proxy, with http:// or https:// or no scheme'
  for (const value of ['http://user:pass@[oops', 'socks5://user:pass@h:1080', 'http://', ' '])
    assert.is(proxyOf(https, { https_proxy: value }), `https_proxy ${why}`, value)
  assert.is(proxyOf(https, { https_proxy: 'socks5://h', NO_PROXY: '*' }), '')
})

/** Whether a list in `NO_PROXY` has a request go straight to its target. */
const isDirect = (url: string, list: string, name = 'NO_PROXY'): boolean =>
  proxyOf(url, { ALL_PROXY: 'http://p:1', [name]: list }) === ''

const checkDirect = (
  url: string,
  direct: ReadonlyArray<string>,
  proxied: ReadonlyArray<string>,
) => {
  for (const list of direct) assert.is(isDirect(url, list), true, `${url} ${list}`)
  for (const list of proxied) assert.is(isDirect(url, list), false, `${url} ${list}`)
}

test('names in NO_PROXY cover themselves and their sub-domains', () => {
  checkDirect(
    https,
    [
      ...['service.example', 'SERVICE.example', 'a.example,service.example', ' service.example '],
      ...['service.example:443', 'example', 'example.', '.example', '*.example', '*', 'a, *'],
      ...['x,,.example:443', 'service.example.'],
    ],
    [
      ...['', ',', 'service.example:80', 'service', 'ervice.example', 'example.org'],
      ...[
        '.service.example',
        '*.service.example',
        '*service.example',
        ':443',
        '.',
        'service.example:x',
      ],
    ],
  )
  checkDirect('https://service.example.', ['service.example', 'example.'], ['.service.example'])
  checkDirect('http://service.example', ['service.example:80'], ['service.example:443'])
  checkDirect('http://service.example:8080', ['service.example:8080'], ['service.example:80'])
  assert.is(isDirect(https, 'example', 'no_proxy'), true)
})

test('addresses and blocks of them in NO_PROXY', () => {
  checkDirect(
    'http://10.1.2.3:8080',
    ['10.1.2.3', '10.1.2.3:8080', '10.0.0.0/8', '10.1.2.3/32', '0.0.0.0/0', '10.0.0.0/8:8080'],
    ['10.1.2.4', '10.1.2.3:80', '10.1.0.0/24', '10.0.0.0/99', '10.0.0.0/x', '1.2.3', '.2.3'],
  )
  checkDirect(
    'http://[fd00::1]',
    ['fd00::1', '[fd00::1]', '[fd00::1]:80', 'FD00:0::1', 'fd00::/8', '[fd00::]/8', '::/0'],
    ['fd00::2', '[fd00::1]:443', 'fe80::/10', '10.0.0.0/8', '0.0.0.0/0'],
  )
})

test('loopback is direct without being named', () => {
  for (const host of ['127.0.0.1:8787', 'localhost', '[::1]:8787', '127.1'])
    assert.is(proxyOf(`http://${host}`, { HTTP_PROXY: 'http://p:1' }), '', host)
})

test.run()

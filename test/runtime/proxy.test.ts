import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { proxyFor } from '../../lib/runtime/proxy'

const test = suite('runtime/proxy')

const names = ['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy']
const clear = (): void => {
  for (const name of names.flatMap((lower) => [lower, lower.toUpperCase()]))
    delete process.env[name]
}
test.before.each(clear)
test.after(clear)

/** The proxy's address for a target, `''` when there is none. */
const proxyOf = (url: string, env: Readonly<Record<string, string>>): string => {
  clear()
  Object.assign(process.env, env)
  const proxy = proxyFor(url, new AbortController().signal)
  return proxy === undefined ? '' : String(Object(proxy.agent).proxy)
}

test('D24: which variable speaks for which target', () => {
  const http = 'http://service.example'
  const https = 'https://service.example'
  const table: ReadonlyArray<readonly [string, Record<string, string>, string]> = [
    [http, { HTTP_PROXY: 'http://p:1' }, 'http://p:1/'],
    [http, { http_proxy: 'http://p:1' }, 'http://p:1/'],
    [https, { HTTPS_PROXY: 'http://p:1' }, 'http://p:1/'],
    [https, { https_proxy: 'https://p:1' }, 'https://p:1/'],
    [https, { HTTP_PROXY: 'http://p:1' }, ''],
    [http, { HTTPS_PROXY: 'http://p:1' }, ''],
    [https, { ALL_PROXY: 'http://p:1' }, 'http://p:1/'],
    [https, { ALL_PROXY: 'http://p:1', https_proxy: 'http://p:2' }, 'http://p:2/'],
    [https, { HTTPS_PROXY: '' }, ''],
  ]
  for (const [url, env, expected] of table)
    assert.is(proxyOf(url, env), expected, JSON.stringify([url, env]))
})

test('D24: an address without a scheme is a plain HTTP proxy, whatever the target is', () => {
  for (const url of ['http://service.example', 'https://service.example'])
    for (const name of ['ALL_PROXY', `${new URL(url).protocol.slice(0, -1)}_proxy`])
      assert.is(proxyOf(url, { [name]: 'proxy.example:3128' }), 'http://proxy.example:3128/')
})

test('D24: what NO_PROXY keeps direct', () => {
  const direct = [
    ...['service.example', 'SERVICE.example', 'a.example,service.example', ' service.example '],
    ...['service.example:443', '.example', '*.example', '*', 'a, *', 'x,,.example:443'],
  ]
  const proxied = ['service.example:80', 'service', 'ervice.example.org', '.service.example', ',']
  for (const name of ['NO_PROXY', 'no_proxy']) {
    const of = (list: string) =>
      proxyOf('https://service.example', { HTTPS_PROXY: 'http://p:1', [name]: list })
    for (const list of direct) assert.is(of(list), '', list)
    for (const list of proxied) assert.is(of(list), 'http://p:1/', list)
  }
})

test('D24: loopback is direct without being named', () => {
  for (const host of ['127.0.0.1:8787', 'localhost', '[::1]:8787', '127.1'])
    assert.is(proxyOf(`http://${host}`, { HTTP_PROXY: 'http://p:1' }), '', host)
})

test.run()

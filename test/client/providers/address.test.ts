import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseOllamaHost } from '../../../lib/client/providers/address'

const test = suite('providers/address')

test('parses OLLAMA_HOST as Ollama does', () => {
  const cases: ReadonlyArray<readonly [host: string, url: string]> = [
    ['127.0.0.1', 'http://127.0.0.1:11434'],
    ['0.0.0.0', 'http://127.0.0.1:11434'],
    ['0.0.0.0:5000', 'http://127.0.0.1:5000'],
    [':5000', 'http://127.0.0.1:5000'],
    ['box.test', 'http://box.test:11434'],
    ['box.test:80', 'http://box.test:80'],
    // With a scheme, the port is the default port of the scheme, not 11434.
    ['http://box.test', 'http://box.test'],
    ['https://box.test', 'https://box.test'],
    ['https://box.test:8443/ollama', 'https://box.test:8443/ollama'],
    ['[::]', 'http://[::1]:11434'],
    ['::1', 'http://[::1]:11434'],
    ['[::1]:9', 'http://[::1]:9'],
    // Quotes of a service file or a Docker environment file.
    ['"0.0.0.0:5000"', 'http://127.0.0.1:5000'],
    ["'box.test'", 'http://box.test:11434'],
    ['"', 'http://127.0.0.1:11434'],
    // A bad port counts as none.
    ['box.test:66000', 'http://box.test:11434'],
    ['box.test:http', 'http://box.test:11434'],
    ['box.test:-1', 'http://box.test:11434'],
    ['https://box.test:66000', 'https://box.test'],
  ]
  for (const [host, url] of cases) assert.is(parseOllamaHost(host), url, host)
})

test.run()

import { existsSync, readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { pagePaths, readPage } from './support/documents'

const test = suite('SECURITY.md')

test('each promise names its tests, which exist', () => {
  // The page has one table.
  const tableLines = readFileSync('SECURITY.md', 'utf8').match(/^\| .*/gm) ?? []
  const [_header, _separator, ...promises] = tableLines
  assert.ok(promises.length > 10)
  for (const promise of promises) {
    // A promise is a row of the table: `| <promise> | <tests> |`.
    const testNames = promise.split(' | ')[1]?.match(/[^` |,]+/g) ?? []
    assert.ok(testNames.length > 0, promise)
    for (const name of testNames) assert.ok(existsSync(`test/${name}.test.ts`), name)
  }
})

test('the container images in examples have a complete version, such as 22.3.0-slim', () => {
  const pages = pagePaths.map(readPage).join('\n')
  const images = [...pages.matchAll(/^ *(?:image:|FROM) (\S+)$/gm)].map(([, image]) => image)
  assert.ok(images.length > 4)
  for (const image of images) assert.match(String(image), /:v?\d+\.\d+\.\d+(?:-slim)?$/)
})

for (const lockFile of [
  'package-lock.json',
  '.ci/browser/package-lock.json',
  '.ci/node24/package-lock.json',
  '.ci/openai/package-lock.json',
  '.ci/package/package-lock.json',
  'test/llama/package-lock.json',
])
  test(`${lockFile} has a SHA-512 digest for each package`, () => {
    const { packages } = JSON.parse(readFileSync(lockFile, 'utf8'))
    for (const [path, entry] of Object.entries<{ readonly integrity: string }>(packages)) {
      // The entry with an empty path is the project itself.
      if (path !== '') assert.match(entry.integrity, /^sha512-/, path)
    }
  })

test('CI installs its tools from lock files', () => {
  const installLines = readFileSync('.ci/run', 'utf8').match(/^npm (?:ci|i|install)\b.*/gm) ?? []
  assert.ok(installLines.length >= 5)
  // `npm ci` installs what a lock file names. The only other line installs the program that CI has packed, offline.
  for (const line of installLines) assert.match(line, /^npm ci | --offline /)
})

test.run()

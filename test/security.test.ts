import { existsSync, readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { pages, readPage } from './support/documents'

const test = suite('SECURITY.md')

test('each promise names tests that exist', () => {
  const rows = readFileSync('SECURITY.md', 'utf8').match(/^\| .*/gm) ?? []
  const promises = rows.slice(2)
  assert.ok(promises.length > 10)
  for (const row of promises) {
    const shownBy = row.split(' | ')[1]?.match(/[^` |,]+/g) ?? []
    assert.ok(shownBy.length > 0, row)
    for (const name of shownBy) assert.ok(existsSync(`test/${name}.test.ts`), name)
  }
})

test('examples pin third-party images to a version, and lock files pin packages to a hash', () => {
  const texts = pages.map(readPage)
  const images = [...texts.join('\n').matchAll(/^ *(?:image:|FROM) (\S+)$/gm)].map(
    ([, name]) => name,
  )
  assert.ok(images.length > 4)
  for (const image of images) assert.match(String(image), /:v?\d+\.\d+\.\d+(?:-slim)?$/)
  for (const lock of ['.', '.ci/node24', '.ci/openai'].map(
    (folder) => `${folder}/package-lock.json`,
  ))
    for (const [name, entry] of Object.entries(JSON.parse(readFileSync(lock, 'utf8')).packages))
      if (name !== '') assert.match((entry as { integrity: string }).integrity, /^sha512-/, name)
  assert.match(readFileSync('.ci/run', 'utf8'), /npm ci --prefix "\$folder"/)
})

test.run()

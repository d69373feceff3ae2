import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createImageReader } from '../../../lib/runs/batch/image-files'
import { readRegular } from '../../../lib/runtime/node/regular-file'

const test = suite('runs/batch/image-files')
const folder = mkdtempSync(join(tmpdir(), 'svc-images-'))
const input = join(folder, 'in', 'rows.jsonl')
const jpeg = Buffer.from('\xff\xd8\xffphoto', 'latin1')

test.before(() => {
  mkdirSync(join(folder, 'in'))
  writeFileSync(join(folder, 'out.jpg'), jpeg)
  writeFileSync(join(folder, 'in', 'own.jpg'), jpeg)
  symlinkSync('../out.jpg', join(folder, 'in', 'link.jpg'))
})
test.after(() => rmSync(folder, { recursive: true }))

/** Reads the images of a row with these paths. */
const readPaths = (
  paths: ReadonlyArray<string>,
  followLinks = false,
  abort = new AbortController(),
) => {
  const read = createImageReader({ readRegular }, { input, followLinks }, abort.signal)
  const images = paths.map((path, index) => ({ name: `photo${index}`, path }))
  return read({ index: 0, line: 3, images, state: null })
}

test('an image outside the folder of the rows is read only with --follow-links', async () => {
  for (const path of ['../out.jpg', join(folder, 'out.jpg'), 'link.jpg', '../in/../out.jpg']) {
    const refused = await readPaths([path])
    assert.match(E.isLeft(refused) ? refused.left : '', /it is outside the folder of the rows/)
    assert.ok(E.isRight(await readPaths([path], true)), path)
  }
  for (const path of ['own.jpg', './own.jpg', join(folder, 'in/own.jpg'), '../in/own.jpg'])
    assert.ok(E.isRight(await readPaths([path])), path)
})

test('refuses a folder as an image', async () => {
  const refused = await readPaths(['.'])
  assert.equal(refused, E.left('read image photo0: .: is a directory'))
})

test('the images of a row have at most 16 MiB together', async () => {
  const half = Buffer.concat([jpeg, Buffer.alloc(9 << 20)])
  writeFileSync(join(folder, 'in', 'half.jpg'), half)
  assert.ok(E.isRight(await readPaths(['half.jpg'])))
  assert.equal(
    await readPaths(['half.jpg', 'half.jpg']),
    E.left('the images of the row exceed 16 MiB'),
  )
})

test('an image that changes before its row is asked is an error of the row', async () => {
  const path = join(folder, 'in', 'new.jpg')
  writeFileSync(path, jpeg)
  const images = await readPaths(['new.jpg'])
  if (E.isLeft(images)) throw new Error(images.left)
  const loaded = await images.right[0]?.load()
  assert.equal(loaded && E.isRight(loaded) && loaded.right.base64, jpeg.toString('base64'))
  writeFileSync(path, Buffer.concat([jpeg, jpeg]))
  assert.match(
    JSON.stringify(await images.right[0]?.load()),
    /line 3.*it has changed during the run/,
  )
})

test('reports an interrupt while an image is read as an interrupt', async () => {
  const abort = new AbortController()
  const images = await readPaths(['own.jpg'], false, abort)
  if (E.isLeft(images)) throw new Error(images.left)
  abort.abort()
  assert.match(JSON.stringify(await images.right[0]?.load()), /"_tag":"Interrupted"/)
})

test.run()

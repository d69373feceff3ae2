import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { interrupted, validation } from '../../../lib/failure/failure'
import { createImageReader } from '../../../lib/runs/batch/image-files'
import { readRegular } from '../../../lib/runtime/node/input'
import { createTemporaryFolder } from '../../support/folders'

const test = suite('runs/batch/image-files')
const folder = createTemporaryFolder()
const input = join(folder, 'in', 'rows.jsonl')
/** The first bytes of a JPEG file, by which svc recognizes the format. */
const jpeg = Buffer.from('\xff\xd8\xffphoto', 'latin1')

test.before(() => {
  mkdirSync(join(folder, 'in'))
  writeFileSync(join(folder, 'out.jpg'), jpeg)
  writeFileSync(join(folder, 'in', 'own.jpg'), jpeg)
  symlinkSync('../out.jpg', join(folder, 'in', 'link.jpg'))
})

/** Reads the images of the row in line 3, which names these paths. */
const readRowImages = (
  paths: ReadonlyArray<string>,
  options: { readonly followLinks?: boolean; readonly signal?: AbortSignal } = {},
) => {
  const { followLinks = false, signal = new AbortController().signal } = options
  const readImages = createImageReader({ readRegular }, { input, followLinks }, signal)
  const images = paths.map((path, index) => ({ name: `photo${index}`, path }))
  return readImages(images, 3)
}

test('an image outside the folder of the rows is read only with --follow-links', async () => {
  for (const path of ['../out.jpg', join(folder, 'out.jpg'), 'link.jpg', '../in/../out.jpg']) {
    const refused = await readRowImages([path])
    assert.match(E.isLeft(refused) ? refused.left : '', /it is outside the folder of the rows/)
    assert.ok(E.isRight(await readRowImages([path], { followLinks: true })), path)
  }
})

test('an image in the folder of the rows is read by any spelling of its path', async () => {
  for (const path of ['own.jpg', './own.jpg', join(folder, 'in/own.jpg'), '../in/own.jpg'])
    assert.ok(E.isRight(await readRowImages([path])), path)
})

test('refuses a folder as an image', async () => {
  const refused = await readRowImages(['.'])
  assert.equal(refused, E.left('read image photo0: .: is a directory'))
})

test('accepts a row with one image of 9 MiB, but not with two, because the limit is 16 MiB', async () => {
  const image = Buffer.concat([jpeg, Buffer.alloc(9 << 20)])
  writeFileSync(join(folder, 'in', '9-mib.jpg'), image)
  assert.ok(E.isRight(await readRowImages(['9-mib.jpg'])))
  assert.equal(
    await readRowImages(['9-mib.jpg', '9-mib.jpg']),
    E.left('the images of the row exceed 16 MiB'),
  )
})

test('an image that changes before its request is sent is an error of its row', async () => {
  const path = join(folder, 'in', 'new.jpg')
  writeFileSync(path, jpeg)
  const images = await readRowImages(['new.jpg'])
  if (E.isLeft(images)) throw new Error(images.left)
  const [image] = images.right
  assert.equal(
    await image?.load(),
    E.right({ name: 'photo0', format: 'jpeg', base64: jpeg.toString('base64') }),
  )
  writeFileSync(path, Buffer.concat([jpeg, jpeg]))
  const cause = 'read image photo0: new.jpg: it has changed during the run'
  assert.equal(await image?.load(), E.left(validation('line 3', cause)))
})

test('reports an interrupt while an image is read as an interrupt', async () => {
  const controller = new AbortController()
  const images = await readRowImages(['own.jpg'], { signal: controller.signal })
  if (E.isLeft(images)) throw new Error(images.left)
  controller.abort()
  assert.equal(await images.right[0]?.load(), E.left(interrupted))
})

test.run()

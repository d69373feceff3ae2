import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { prepareSpecFiles } from '../../lib/review/section'
import type { Files } from '../../lib/runtime/runtime'
import { memoryFiles } from '../support/files'

const test = suite('review: spec files')

const texts = { 'docs/spec.md': '# A\na\n# B\nb\n', '/abs/other.md': '# A\nother' }
const openSpecs = (files: Files) =>
  prepareSpecFiles({ files, folder: 'docs', followLinks: false }, new AbortController().signal)
const unit = (heading: string, spec = 'spec.md') => ({ spec, spec_heading: heading })

test('units that share a spec read it once', async () => {
  const { files, reads } = memoryFiles(texts)
  const units = [unit('# A'), unit('# B'), unit('# A', '/abs/other.md'), unit('# B', './spec.md')]
  const found = openSpecs(files)
  const sections = await Promise.all(units.map((one) => found(one)()))
  assert.equal(sections, ['# A\na', '# B\nb\n', '# A\nother', '# B\nb\n'].map(E.right))
  assert.equal(reads, ['docs/spec.md', '/abs/other.md'])
})

test('reports a missing heading and a missing file', async () => {
  const { files, reads } = memoryFiles(texts)
  const units = [unit('## A'), unit('# A', 'gone.md'), unit('# B', 'gone.md')]
  const found = openSpecs(files)
  const sections = await Promise.all(units.map((one) => found(one)()))
  assert.equal(sections, [
    E.left('heading "## A" not found in spec spec.md'),
    E.left('read spec gone.md: no such file or directory'),
    E.left('read spec gone.md: no such file or directory'),
  ])
  assert.equal(reads, ['docs/spec.md', 'docs/gone.md'])
})

test.run()

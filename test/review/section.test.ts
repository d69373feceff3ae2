import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createSectionFinder } from '../../lib/review/section'
import { createMemoryFiles } from '../support/files'

const test = suite('review: spec files')

/** Finds the sections of units concurrently. Returns the sections, and the paths of the files that were read. */
const findSections = async (units: ReadonlyArray<{ spec: string; spec_heading: string }>) => {
  const { files, reads } = createMemoryFiles({
    'docs/spec.md': '# A\na\n# B\nb\n',
    '/abs/other.md': '# A\nother',
  })
  const fileAccess = { files, folder: 'docs', followLinks: false }
  const findUnitSection = createSectionFinder(fileAccess, new AbortController().signal)
  const sections = await Promise.all(units.map((unit) => findUnitSection(unit)))
  return { sections, reads }
}

test('reads a spec file once for all of its units', async () => {
  const { sections, reads } = await findSections([
    { spec: 'spec.md', spec_heading: '# A' },
    { spec: 'spec.md', spec_heading: '# B' },
    { spec: '/abs/other.md', spec_heading: '# A' },
    { spec: './spec.md', spec_heading: '# B' },
  ])
  assert.equal(sections, ['# A\na', '# B\nb\n', '# A\nother', '# B\nb\n'].map(E.right))
  assert.equal(reads, ['docs/spec.md', '/abs/other.md'])
})

test('reports a missing heading and a missing file', async () => {
  const { sections, reads } = await findSections([
    { spec: 'spec.md', spec_heading: '## A' },
    { spec: 'gone.md', spec_heading: '# A' },
    { spec: 'gone.md', spec_heading: '# B' },
  ])
  assert.equal(sections, [
    E.left('heading "## A" not found in spec spec.md'),
    E.left('read spec gone.md: no such file or directory'),
    E.left('read spec gone.md: no such file or directory'),
  ])
  assert.equal(reads, ['docs/spec.md', 'docs/gone.md'])
})

test.run()

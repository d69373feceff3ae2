import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { bundleFiles } from '../../lib/review/bundle'
import type { Files } from '../../lib/runtime/runtime'
import { createMemoryFiles } from '../support/files'

const test = suite('review: bundle')

const { files } = createMemoryFiles({
  '/repo/a.ts': 'const a = 1\n',
  '/repo/b.ts': 'const b = 2',
  '/repo/empty.ts': '',
})
const rules = { files, folder: '/repo', followLinks: false }
const neverAborts = new AbortController().signal

const bundleOfA = '// file: a.ts\nconst a = 1\n'
const marker = '// ...(truncated)'

const budgets: ReadonlyArray<readonly [title: string, budget: number, text: string]> = [
  ['does not cut a text that has exactly the size of the budget', 26, bundleOfA],
  ['puts the marker of a cut on a line of its own', 25, bundleOfA + marker],
  ['cuts after the header of a file', 14, `// file: a.ts\n${marker}`],
  ['keeps only the marker if the budget is 0', 0, marker],
]
for (const [title, budget, text] of budgets)
  test(title, async () => {
    const bundle = await bundleFiles(rules, 'implementation', ['a.ts'], budget, neverAborts)()
    assert.equal(bundle, E.right({ text, truncated: text.endsWith(marker), size: 26 }))
  })

test('reads only as much of a file as the budget and one more character need', async () => {
  const limits: number[] = []
  const recordingFiles: Files = {
    ...files,
    readRegular: (path, options) => {
      limits.push(options.limit)
      return files.readRegular(path, options)
    },
  }
  const paths = ['a.ts', 'b.ts', 'empty.ts']
  const recordingRules = { ...rules, files: recordingFiles }
  const bundle = await bundleFiles(recordingRules, 'test', paths, 40, neverAborts)()
  const text = `${bundleOfA}// file: b.ts\n${marker}`
  assert.equal(bundle, E.right({ text, truncated: true, size: 70 }))
  assert.equal(limits, [44, 18, 4])
})

test.run()

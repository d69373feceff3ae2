import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { bundleFiles } from '../../lib/review/bundle'
import type { Files } from '../../lib/runtime/runtime'
import { createMemoryFiles } from '../support/files'

/** A bundle is the text of several files, each below a line with its path. */
const test = suite('review: bundle')

const { files } = createMemoryFiles({
  '/repo/a.ts': 'const a = 1\n',
  '/repo/b.ts': 'const b = 2',
  '/repo/empty.ts': '',
})
const fileAccess = { files, folder: '/repo', followLinks: false }
const neverAborts = new AbortController().signal

const bundleOfA = '// file: a.ts\nconst a = 1\n'
/** The last line of a bundle that was cut. */
const marker = '// ...(truncated)'

const bundleBytes = Buffer.byteLength(bundleOfA)

/** The text of the bundle of `a.ts`, by its maximum size. */
const cutCases = [
  {
    title: 'does not cut a text of exactly the maximum size',
    maxBytes: bundleBytes,
    text: bundleOfA,
  },
  {
    title: 'puts the marker of a cut on a line of its own',
    maxBytes: bundleBytes - 1,
    text: bundleOfA + marker,
  },
  {
    title: 'cuts after the header of a file',
    maxBytes: '// file: a.ts\n'.length,
    text: `// file: a.ts\n${marker}`,
  },
  { title: 'keeps only the marker if the maximum size is 0', maxBytes: 0, text: marker },
]
for (const { title, maxBytes, text } of cutCases)
  test(title, async () => {
    const bundle = await bundleFiles(fileAccess, {
      kind: 'implementation',
      paths: ['a.ts'],
      maxBytes,
      signal: neverAborts,
    })
    assert.equal(bundle, E.right({ text, truncated: text.endsWith(marker), size: bundleBytes }))
  })

test('reads at most one character more than still fits into the bundle', async () => {
  const readLimits: number[] = []
  const recordingFiles: Files = {
    ...files,
    readRegular: (path, options) => {
      readLimits.push(options.maxBytes)
      return files.readRegular(path, options)
    },
  }
  const recordingAccess = { ...fileAccess, files: recordingFiles }
  const bundle = await bundleFiles(recordingAccess, {
    kind: 'test',
    paths: ['a.ts', 'b.ts', 'empty.ts'],
    maxBytes: 40,
    signal: neverAborts,
  })
  const text = `${bundleOfA}// file: b.ts\n${marker}`
  // The size also counts the 11 bytes of b.ts, an added newline, and the header of empty.ts.
  const size = Buffer.byteLength(`${bundleOfA}// file: b.ts\nconst b = 2\n// file: empty.ts\n`)
  assert.equal(bundle, E.right({ text, truncated: true, size }))
  // A file is read up to the room that the bundle has left, and 4 bytes more, because a character has up to 4 bytes. For the third
  // file no room is left.
  assert.equal(readLimits, [40 + 4, 40 - bundleBytes + 4, 0 + 4])
})

test.run()

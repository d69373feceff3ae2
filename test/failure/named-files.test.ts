import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { usage } from '../../lib/failure/failure'
import { checkDistinctFiles } from '../../lib/failure/named-files'
import { nodeFiles } from '../../lib/runtime/node/files'
import { createTemporaryFolder } from '../support/folders'

const test = suite('failure/named-files')

const folder = createTemporaryFolder()
const inputPath = join(folder, 'input')
writeFileSync(inputPath, '')
symlinkSync('input', join(folder, 'link'))

/** Checks a command with `--input <input>` and `--junit <output>`. */
const checkFiles = (input: string, output: string) => {
  const reads = [{ name: '--input', path: input }]
  const writes = [{ name: '--junit', path: output }]
  return checkDistinctFiles(nodeFiles, reads, writes)()
}

test('refuses to write to an input, also by another spelling of its path or a link', async () => {
  for (const name of ['input', './input', 'link']) {
    const output = `${folder}/${name}`
    const message = `--junit and --input name the same file ${output}`
    assert.equal(await checkFiles(inputPath, output), E.left(usage(message)), name)
  }
})

test('accepts a new output, also in a folder that does not exist', async () => {
  for (const name of ['new', 'missing/new'])
    assert.equal(await checkFiles(inputPath, join(folder, name)), E.right(undefined), name)
})

test('accepts standard input and any output', async () => {
  // `-` names standard input, which cannot be the file that is written.
  assert.equal(await checkFiles('-', inputPath), E.right(undefined))
})

test('refuses two outputs to one file', async () => {
  const path = join(folder, 'new')
  const outputs = ['--report', '--junit'].map((name) => ({ name, path }))
  const message = `--junit and --report name the same file ${path}`
  assert.equal(await checkDistinctFiles(nodeFiles, [], outputs)(), E.left(usage(message)))
})

test.run()

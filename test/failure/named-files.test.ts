import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { checkDistinctFiles } from '../../lib/failure/named-files'
import { nodeFiles } from '../../lib/runtime/node/files'
import { createTemporaryFolder } from '../support/folders'

const test = suite('failure/named-files')

test('refuses to write to an input, also by another spelling of its path or a link', async () => {
  const folder = createTemporaryFolder()
  const run = join(folder, 'run')
  writeFileSync(run, '')
  symlinkSync('run', join(folder, 'soft'))
  const check = (input: string, output: string) => {
    const reads = [{ name: '--input', path: input }]
    const writes = [{ name: '--junit', path: output }]
    return checkDistinctFiles(nodeFiles, reads, writes)()
  }
  for (const name of ['run', './run', 'soft']) {
    const refused = await check(run, `${folder}/${name}`)
    const message = `--junit and --input name the same file ${folder}/${name}`
    assert.equal(refused, { _tag: 'Left', left: { _tag: 'Usage', message } }, name)
  }
  for (const name of ['new', 'none/new'])
    assert.is((await check(run, join(folder, name)))._tag, 'Right', name)
  assert.is((await check('-', run))._tag, 'Right')
})

test('refuses two outputs to one file', async () => {
  const path = join(createTemporaryFolder(), 'new')
  const outputs = ['--report', '--junit'].map((name) => ({ name, path }))
  const refused = await checkDistinctFiles(nodeFiles, [], outputs)()
  assert.is(refused._tag, 'Left')
})

test.run()

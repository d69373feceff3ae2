import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { checkDistinctFiles } from '../../lib/failure/named-files'
import { nodeFiles } from '../../lib/runtime/node/files'
import { temporaryFolder } from '../support/folders'

const test = suite('runtime/distinct-files')

test('refuses to write to a file that is read, by another spelling or a link too', async () => {
  const folder = temporaryFolder()
  const at = (name: string): string => join(folder, name)
  writeFileSync(at('run'), '')
  symlinkSync('run', at('soft'))
  const outcome = async (input: string, output: string) =>
    checkDistinctFiles(
      nodeFiles,
      [{ name: '--input', path: input }],
      [{ name: '--junit', path: output }],
    )()
  for (const name of ['run', './run', 'soft']) {
    const refused = await outcome(at('run'), `${folder}/${name}`)
    const message = `--junit and --input name the same file ${folder}/${name}`
    assert.equal(refused, { _tag: 'Left', left: { _tag: 'Usage', message } }, name)
  }
  for (const name of ['new', 'none/new'])
    assert.is((await outcome(at('run'), at(name)))._tag, 'Right', name)
  assert.is((await outcome('-', at('run')))._tag, 'Right')
})

test('refuses two outputs to one file', async () => {
  const path = join(temporaryFolder(), 'new')
  const outputs = ['--report', '--junit'].map((name) => ({ name, path }))
  const refused = await checkDistinctFiles(nodeFiles, [], outputs)()
  assert.is(refused._tag, 'Left')
})

test.run()

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { nodeClock } from '../../lib/runtime/node/clock'
import { nodeFiles } from '../../lib/runtime/node/files'
import { openReplayEngine } from '../../lib/service/engines/replay/engine'
import type { RecordingFiles } from '../../lib/service/engines/replay/recordings'
import { createTemporaryFolder } from '../support/folders'
import { closeAfterEach } from '../support/servers'
import { post, readJson } from './run-service'
import { createExchange, createRecordingFiles, startReplay, ticketRequest } from './start-replay'

const test = suite('service: the folder of --fixtures')
closeAfterEach(test)

/** Returns the message of the usage error with which svc refuses the folder. Throws if svc accepts it. */
const readRefusal = async (folder: string, files: RecordingFiles): Promise<string> => {
  const engine = await openReplayEngine(folder, files, nodeClock)()
  assert.ok(E.isLeft(engine) && engine.left._tag === 'Usage')
  return engine.left.message
}

const scenarioWithoutBody = {
  exchanges: [{ request: { path: '/v1/questions', bodyFile: 'x' }, response: {} }],
}

const unusableFolders: ReadonlyArray<{
  readonly title: string
  readonly files: Readonly<Record<string, unknown>>
  readonly message: RegExp
}> = [
  { title: 'an empty folder', files: {}, message: /^no recorded exchange in f$/ },
  {
    title: 'a scenario without exchanges',
    files: { 'f/a/scenario.json': { argv: [] } },
    message: /^no recorded exchange in f$/,
  },
  {
    title: 'a scenario that is not JSON',
    files: { 'f/a/scenario.json': '{' },
    message: /^read fixtures f: a\/scenario\.json: line 1/,
  },
  {
    title: 'a missing body file',
    files: { 'f/a/scenario.json': scenarioWithoutBody },
    message: /^read fixtures f: a\/scenario\.json: no such file or directory$/,
  },
]

for (const { title, files: contents, message } of unusableFolders)
  test(`refuses ${title}`, async () => {
    assert.match(await readRefusal('f', createRecordingFiles(contents)), message)
  })

test('refuses a missing folder', async () => {
  const message = await readRefusal('/nowhere', nodeFiles)
  assert.is(message, 'read fixtures /nowhere: no such file or directory')
})

test('reads a file of another scenario', async () => {
  const exchanges = [createExchange(ticketRequest, { status: 200, bodyFile: '../../shared.json' })]
  const service = await startReplay({
    scenarios: { 'a/b': { exchanges } },
    files: { 'shared.json': { shared: true } },
  })
  assert.equal(await readJson(await post(service.url, ticketRequest)), { shared: true })
})

test('refuses a path to a file outside the folder', async () => {
  const bodyFile = '../../../outside.json'
  const files = createRecordingFiles({
    'outside.json': {},
    'f/a/b/scenario.json': { exchanges: [createExchange(ticketRequest, { bodyFile })] },
  })
  const message = await readRefusal('f', files)
  assert.is(
    message,
    'read fixtures f: a/b/scenario.json: "../../../outside.json" is not below the folder',
  )
})

/** Creates a folder of fixtures with links to a file and a folder outside it. Returns its path. */
const createFolderWithLinks = (): string => {
  const parent = createTemporaryFolder()
  const fixtures = join(parent, 'fixtures')
  mkdirSync(join(parent, 'outside'))
  writeFileSync(join(parent, 'outside/secret.json'), '{"secret":true}')
  mkdirSync(join(fixtures, 'a'), { recursive: true })
  symlinkSync('../../outside/secret.json', join(fixtures, 'a/file-link.json'))
  symlinkSync('../../outside', join(fixtures, 'a/folder-link'))
  return fixtures
}

for (const file of ['file-link.json', 'folder-link/secret.json'])
  for (const response of [{ bodyFile: file }, { bodyText: { file } }, { raw: { file } }])
    test(`refuses a link to a file outside the folder: ${JSON.stringify(response)}`, async () => {
      const fixtures = createFolderWithLinks()
      const scenario = { exchanges: [createExchange(ticketRequest, response)] }
      writeFileSync(join(fixtures, 'a/scenario.json'), JSON.stringify(scenario))
      assert.is(
        await readRefusal(fixtures, nodeFiles),
        `read fixtures ${fixtures}: a/scenario.json: a link of "${file}" leads out of the folder`,
      )
    })

test.run()

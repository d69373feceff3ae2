import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readGolden } from '../../lib/replay/golden'
import { listFiles } from '../../lib/replay/scenarios'
import { temporaryFolder } from '../support/folders'
import { run, start } from '../support/program'

const test = suite('process: runs are recorded')

const cwd = temporaryFolder()
writeFileSync(join(cwd, 'rows.jsonl'), '{"text":"A refund is wanted."}\n{"text":"Hello."}\n')
const recorded = (name: string): string =>
  readFileSync(join(cwd, 'tests/fixtures/recorded', name), 'utf8')

test('ask and batch write whole scenarios, which play back without the service and have no key', async () => {
  const service = start(['serve', '--port', '0'], { env: {} })
  const url = (await service.said(/http:\S+/)).trim()
  const world = { cwd, env: { SERVICE_BASE_URL: url, SERVICE_API_KEY: 'sk-secret' } }
  const question = ['--noul', 'refund=Is a refund wanted?', '--record', 'tests']
  const state = ['--state', '-', '--api-key', 'sk-secret']
  const asked = await run(['ask', ...state, ...question], { ...world, stdin: 'Hello sk-secret.' })
  assert.equal([asked.code, asked.stderr], [0, ''])
  const rows = ['-i', 'rows.jsonl', '-o', 'run.jsonl', '--state-field', 'text']
  const batch = await run(['batch', ...rows, ...question], world)
  assert.equal([batch.code, batch.stderr], [0, 'batch: 2 rows, 2 answered, 0 failed\n'])
  const outside = join(temporaryFolder(), 'outside.jsonl')
  writeFileSync(outside, '"Hello."\n')
  const left = await run(['batch', '-i', outside, ...question], world)
  assert.is(left.code, 0)
  assert.match(left.stderr, `svc: recording ended: ${outside} is not below the working folder`)
  assert.not.match(listFiles(join(cwd, 'tests')).join(), '003')
  service.child.kill()
  await service.ended

  const { command } = JSON.parse(recorded('001-refund/scenario.json'))
  assert.is(command, "svc ask --state - --noul 'refund=Is a refund wanted?'")
  const golden = readGolden(join(cwd, 'tests'), 'recorded/002-refund')
  assert.is(golden['files/run.jsonl'], readFileSync(join(cwd, 'run.jsonl'), 'utf8'))
  for (const file of listFiles(join(cwd, 'tests')))
    assert.not.match(readFileSync(join(cwd, 'tests', file), 'utf8'), 'sk-secret')

  const checked = await run(['fixtures', '--check', 'tests'], { cwd, env: {} })
  assert.is(checked.stdout, '{"scenarios":2,"passed":2,"failed":[]}\n')
  writeFileSync(
    join(cwd, 'tests/fixtures/recorded/001-refund/response.json'),
    recorded('001-refund/response.json').replace(/"noul":0\.\d+/, '"noul":0.9'),
  )
  const changed = await run(['fixtures', '--check', 'tests'], { cwd, env: {} })
  assert.is(changed.code, 8)
  assert.match(changed.stdout, '{"scenario":"recorded/001-refund","differs":["stdout"]')
})

test.run()

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { main } from '../../lib/cli/main'
import { unknownBuild } from '../../lib/runtime/build'
import { decodeRequestBody } from '../../lib/runtime/http/web-fetch'
import { nodeFiles } from '../../lib/runtime/node/files'
import type { Fetch } from '../../lib/runtime/runtime'
import { commands } from '../support/commands'
import { root, temporaryFolder } from '../support/folders'
import { fakeRuntime } from '../support/runtime'

const test = suite('review: this project against its own spec')

const here = join(root, 'test')
const text = (path: string): string => readFileSync(join(here, 'review/self', path), 'utf8')

interface Recorded {
  readonly covers: ReadonlyArray<number>
  readonly contradicts: number
  readonly thorough: number
  readonly weakest: string
}
const recorded: Readonly<Record<string, Recorded>> = JSON.parse(text('answers.json'))

/** Answers a unit's request by the heading its section begins with. */
const answer = (body: Uint8Array): string => {
  const { state, questions } = JSON.parse(Buffer.from(body).toString())
  const of = recorded[state.spec.split('\n')[0]]
  assert.ok(of, 'a section with recorded answers')
  assert.is(Object.keys(questions).length, of.covers.length + 3)
  for (const side of [state.implementation, state.tests])
    assert.not.match(side, /\(truncated\)$/, 'nothing is cut')
  const covers = of.covers.map((noul, index) => [`covers_0${index}`, { type: 'noul', noul }])
  return JSON.stringify({
    model: 'svc-1.13.0',
    answers: {
      ...Object.fromEntries(covers),
      contradicts_spec: { type: 'noul', noul: of.contradicts },
      thoroughness: { type: 'score', score: of.thorough, confidence: 0.8 },
      weakest_area: { type: 'choice', choice: of.weakest, confidence: 0.6 },
    },
  })
}

const fetch: Fetch = async (_, { body = '' }) => {
  const bytes = Buffer.from(answer(Buffer.from(decodeRequestBody(body))))
  async function* chunks() {
    yield bytes
  }
  return { status: 200, header: () => null, endsWithConnection: false, body: chunks() }
}

const run = async (...args: ReadonlyArray<string>) => {
  const { runtime, stdout, stderr } = fakeRuntime({
    env: { SERVICE_API_KEY: 'k' },
    files: nodeFiles,
    fetch,
  })
  const units = join(here, 'svc-review.json')
  const exit = await main(['review', '--units', units, ...args], runtime, unknownBuild, commands)
  return { stdout: stdout(), stderr: stderr(), exit }
}

test('every section and every file exists, and nothing would be cut', async () => {
  const { stdout, exit } = await run('--dry-run', '--json')
  assert.is(exit, 0)
  const units: ReadonlyArray<{ readonly truncated: boolean }> = JSON.parse(stdout)
  assert.is(units.length, Object.keys(recorded).length)
  assert.ok(units.every(({ truncated }) => !truncated))
})

test('the project passes with the recorded answers', async () => {
  const report = join(temporaryFolder(), 'report.json')
  const { stdout, stderr, exit } = await run('--report', report)
  assert.fixture(stdout, text('summary.md'))
  assert.is(stderr, 'review: ran 5 units\n')
  assert.is(exit, 0)
  const units = JSON.parse(readFileSync(report, 'utf8'))
  assert.equal(
    units.map(({ failing }: { readonly failing: boolean }) => failing),
    [false, false, false, false, false],
  )
})

test.run()

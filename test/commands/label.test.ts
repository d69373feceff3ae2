import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { pageFolder } from '../../commands/run/label'
import { runMain } from '../main/run-main'
import { createSink } from '../support/runtime'

const test = suite('commands/label')

const questions = '{"questions":{"billing":{"type":"noul","instructions":"Billing?"}}}'

/** The files of the page. */
const pageFiles = Object.fromEntries(
  ['index.html', 'page.js', 'page.css'].map((name) => [join(pageFolder, name), '']),
)

interface LabelRun {
  readonly flags?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  /** The streams that are terminals. */
  readonly tty?: ReadonlyArray<'stdout' | 'stderr'>
}

/** Runs `svc label` and ends it once it has printed its address. Resolves with the opened addresses and what stderr shows. */
const runLabel = async ({ flags = [], env = {}, tty = ['stdout', 'stderr'] }: LabelRun = {}) => {
  const opened: string[] = []
  const ended = new AbortController()
  const sink = createSink({ isTTY: tty.includes('stderr') })
  const write = async (data: string | Uint8Array): Promise<void> => {
    await sink.write(data)
    // By then, the command has opened the address.
    if (sink.text().includes('http:')) setImmediate(() => ended.abort('SIGTERM'))
  }
  const openBrowser = async (address: string): Promise<boolean> => opened.push(address) > 0
  const { code, stdout } = await runMain({
    argv: ['label', '-i', 't.csv', '-f', 'q.json', ...flags],
    files: { ...pageFiles, 't.csv': 'index,text,billing.label\n0,a,\n', 'q.json': questions },
    env,
    tty,
    stderr: { ...sink, write },
    signal: ended.signal,
    openBrowser,
  })
  assert.is(code, 0, stdout)
  return { opened, stderr: sink.text() }
}

test('opens the address on a terminal, and says that answers are saved', async () => {
  const { opened, stderr } = await runLabel()
  // A terminal shows the long line in two lines.
  const [, address] =
    /answers are saved as you go; open this address in your browser:\s+(http:\S+)\n/.exec(stderr) ??
    []
  assert.match(address ?? '', /^http:\/\/127\.0\.0\.1:\d+\/\?key=/)
  assert.equal(opened, [address])
})

test('opens no browser with --no-open, in CI, or if stdout or stderr is no terminal', async () => {
  assert.equal((await runLabel({ flags: ['--no-open'] })).opened, [])
  assert.equal((await runLabel({ env: { CI: 'true' } })).opened, [])
  assert.equal((await runLabel({ tty: ['stdout'] })).opened, [])
  assert.equal((await runLabel({ tty: ['stderr'] })).opened, [])
})

test.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { main } from '../../lib/cli/main'
import { showInPager } from '../../lib/runtime/node/pager'
import { testBuild } from '../support/build'
import { commands } from '../support/commands'
import { createFakeRuntime, type RuntimeParts } from '../support/runtime'

const test = suite('runtime/pager')

const env = { PATH: process.env.PATH }

test('reports that no pager was there if PAGER is empty or unknown', async () => {
  assert.is(await showInPager('text\n', { ...env, PAGER: '' }), false)
  assert.is(await showInPager('text\n', { ...env, PAGER: 'no-such-pager-of-svc' }), false)
})

test('waits for the pager, which may end before it has read everything', async () => {
  const text = 'line\n'.repeat(100_000)
  assert.is(await showInPager(text, { ...env, PAGER: `"${process.execPath}" -e ""` }), true)
})

/** Runs `svc help` with these words. Returns the texts that the pager and stdout got. */
const runHelpTopic = async (words: ReadonlyArray<string>, parts: RuntimeParts = {}) => {
  const paged: string[] = []
  const { runtime, stdout } = createFakeRuntime({
    tty: ['stdout'],
    showInPager: async (text) => {
      paged.push(text)
      return true
    },
    ...parts,
  })
  await main(['help', ...words], runtime, testBuild, commands)
  return { paged: paged.join(''), stdout: stdout() }
}

test('a terminal shows topics in the pager, and prints the help of commands', async () => {
  const topic = await runHelpTopic(['exit-codes'])
  assert.match(topic.paged, 'exit')
  assert.is(topic.stdout, '')
  const help = await runHelpTopic(['version'])
  assert.is(help.paged, '')
  assert.match(help.stdout, 'Usage:')
})

test('a topic is printed if there is no pager, or if the terminal is dumb', async () => {
  const withoutPager = await runHelpTopic(['exit-codes'], { showInPager: async () => false })
  assert.match(withoutPager.stdout, 'exit')
  const dumb = await runHelpTopic(['exit-codes'], { env: { TERM: 'dumb' } })
  assert.is(dumb.paged, '')
  assert.match(dumb.stdout, 'exit')
})

test.run()

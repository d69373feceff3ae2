import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { testBuild } from '../support/build'
import { runMain } from './run-main'

const test = suite('main: help')

test('shows the version in an example, where tests write {version}', async () => {
  const { stdout } = await runMain({ argv: ['help', 'agents'] })
  assert.match(stdout, `"serverInfo":{"name":"svc","version":"${testBuild.version}"}`)
  assert.not.match(stdout, '{version}')
})

test.run()

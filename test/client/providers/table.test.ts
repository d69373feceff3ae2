import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serviceNames } from '../../../lib/client/providers/provider-names'
import { providers } from '../../../lib/client/providers/table'

const test = suite('providers/table')

test('a provider has a hint about models exactly if it has no default model', () => {
  for (const name of serviceNames) {
    const { defaultModel, modelHint } = providers[name]
    assert.is(defaultModel === undefined, modelHint !== undefined, name)
  }
})

test.run()

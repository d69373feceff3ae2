import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { providerNames } from '../../../lib/client/providers/provider-names'
import { providers } from '../../../lib/client/providers/table'
import { root } from '../../support/folders'

const test = suite('provider/topic')

const page = readFileSync(join(root, 'lib/help/topics/providers.md'), 'utf8')

for (const name of providerNames)
  test(`svc help providers tells the row of ${name}, and a line to try it`, () => {
    const { address, keyVariables, needsKey, defaultModel, dialects, takesImages } = providers[name]
    const code = (text: string): string => `\`${text}\``
    const keys = [...keyVariables.map(code), ...(needsKey ? [] : ['not needed'])].join(', ')
    const place = address === undefined ? 'your own: pass `--base-url`' : code(address)
    assert.ok(page.includes(`| ${code(name)} | ${place} |`))
    const cells = [
      code(name),
      keys,
      defaultModel === undefined ? '' : code(defaultModel),
      dialects.map((dialect) => dialect.name).join(', '),
      takesImages ? 'yes' : '',
    ]
    const row = `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |').replaceAll('|  |', '| |')
    assert.ok(page.includes(row), row)
    assert.ok(page.includes(`svc ask --provider ${name} `))
  })

test.run()

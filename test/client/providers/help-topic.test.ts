/** Checks that the help topic `providers` agrees with the table of providers. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serviceNames } from '../../../lib/client/providers/provider-names'
import { providers } from '../../../lib/client/providers/table'
import { root } from '../../support/folders'

const test = suite('providers/help-topic')

const page = readFileSync(join(root, 'lib/help/topics/providers.md'), 'utf8')

const formatCode = (text: string | undefined): string => (text === undefined ? '' : `\`${text}\``)

/** Formats a row as in the page, which has one space in an empty cell. */
const formatRow = (cells: ReadonlyArray<string>): string =>
  `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|`

for (const name of serviceNames)
  test(`svc help providers has the table rows of ${name}, and a line to try it`, () => {
    const provider = providers[name]
    const { address, addressVariable, keyVariables, needsKey, defaultModel } = provider

    const addressCell = address === undefined ? 'your own' : formatCode(address)
    assert.match(page, formatRow([formatCode(name), addressCell, formatCode(addressVariable)]))

    const keys = keyVariables.map(formatCode)
    if (!needsKey) keys.push('not needed')
    const row = formatRow([
      formatCode(name),
      keys.join(', '),
      provider.modelPlace === 'none' ? 'no choice' : formatCode(defaultModel),
      provider.dialects.map((dialect) => dialect.name).join(', '),
      provider.images === undefined ? '' : 'yes',
    ])
    assert.match(page, row)

    assert.match(page, `svc ask --provider ${name} `)
  })

test.run()

import { suite } from 'uvu'
import { compare } from './golden-files'
import { pool } from './pool'
import { buildBundle, runBundle } from './run-bundle'
import { scenarios } from './scenario'

const test = suite('golden: the bundle as a child process')
const chosen = scenarios().filter(({ scenario }) => scenario.only !== 'in-process')
const bundle = buildBundle()
const outcomes = pool(chosen, 2, (named) => runBundle(bundle, named))

for (const [index, { name }] of chosen.entries())
  test(name, async () => {
    const outcome = await outcomes[index]
    if (outcome) compare(name, outcome)
  })

test.run()

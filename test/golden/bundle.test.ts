import { suite } from 'uvu'
import { buildBundle, runChild } from './child'
import { compare } from './golden'
import { pool } from './pool'
import { scenarios } from './scenario'

const test = suite('golden: the bundle as a child process')
const chosen = scenarios().filter(({ scenario }) => scenario.only !== 'in-process')
const bundle = buildBundle()
const outcomes = pool(chosen, 2, (named) => runChild(bundle, named))

for (const [index, { name }] of chosen.entries())
  test(name, async () => {
    const outcome = await outcomes[index]
    if (outcome) compare(name, outcome)
  })

test.run()

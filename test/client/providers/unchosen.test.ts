/** variables that happen to be set for providers choose none, and change nothing of what is sent and printed. */
import { suite } from 'uvu'
import { providers } from '../../../lib/client/providers/table'
import { assertGolden } from '../../golden/golden-files'
import { readProjectScenarios } from '../../golden/project-scenarios'
import { runInProcess } from '../../golden/run-in-process'

const test = suite('provider/unchosen')

const variables = Object.values(providers).flatMap(({ addressVariable = [], keyVariables }) => [
  ...[addressVariable].flat().map((name) => [name, 'http://127.0.0.1:1'] as const),
  // This one is read without a provider, too.
  ...keyVariables
    .filter((name) => name !== 'TYPESAFE_API_KEY')
    .map((name) => [name, `key-of-${name}`] as const),
])

/** Whether a scenario names a provider or a dialect. */
const isChosen = (scenario: object): boolean =>
  /--provider|--dialect|SERVICE_(PROVIDER|DIALECT)/.test(JSON.stringify(scenario))

for (const named of readProjectScenarios()) {
  const { scenario } = named
  if (!/^(ask|models)\//.test(named.name) || isChosen(scenario)) continue
  test(`${named.name}, with the variables of every provider set`, async () => {
    const env = { ...Object.fromEntries(variables), ...scenario.env }
    assertGolden(named.name, await runInProcess({ ...named, scenario: { ...scenario, env } }))
  })
}

test.run()

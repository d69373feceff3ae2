/**
 * Checks that variables for providers neither choose a provider nor change requests and output. A golden is the stored requests and
 * output of a scenario.
 */
import { suite } from 'uvu'
import { providers } from '../../../lib/client/providers/table'
import { assertGolden } from '../../golden/golden-files'
import { readProjectScenarios } from '../../golden/project-scenarios'
import { runInProcess } from '../../golden/run-in-process'

const test = suite('providers/ignored-variables')

/** All variables of all providers, except `TYPESAFE_API_KEY`, which svc also reads without a provider. */
const createProviderVariables = (): Readonly<Record<string, string>> => {
  const variables: Record<string, string> = {}
  for (const { addressVariable, keyVariables } of Object.values(providers)) {
    if (addressVariable !== undefined) variables[addressVariable] = 'http://127.0.0.1:1'
    for (const name of keyVariables) variables[name] = `key-of-${name}`
  }
  delete variables.TYPESAFE_API_KEY
  return variables
}

const namesProviderOrDialect = (scenario: object): boolean =>
  /--provider|--dialect|SERVICE_(PROVIDER|DIALECT)/.test(JSON.stringify(scenario))

for (const namedScenario of readProjectScenarios()) {
  const { name, scenario } = namedScenario
  if (!/^(ask|models)\//.test(name) || namesProviderOrDialect(scenario)) continue
  test(`${name} has the same golden with the variables of every provider set`, async () => {
    const env = { ...createProviderVariables(), ...scenario.env }
    assertGolden(name, await runInProcess({ ...namedScenario, scenario: { ...scenario, env } }))
  })
}

test.run()

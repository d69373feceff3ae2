import { join } from 'node:path'
import { readCheckedScenarios } from '../../lib/replay/scenario-faults'
import { listFiles, type NamedScenario } from '../../lib/replay/scenarios'
import { root } from '../support/folders'

export const fixturesFolder = join(root, 'fixtures')
const goldenFolder = join(root, 'golden')

/** Reads every scenario of the project, in order of name. Throws if `svc fixtures --check` would call one invalid. */
export const readProjectScenarios = (): ReadonlyArray<NamedScenario> => {
  const { scenarios, invalid } = readCheckedScenarios(root)
  const faults = invalid.map((scenario) => `${scenario.name}: ${scenario.faults.join(', ')}`)
  if (faults.length > 0) throw new Error(faults.join('\n'))
  return scenarios
}

/** Finds a scenario of the project by its name. Throws if there is none. */
export const findProjectScenario = (name: string): NamedScenario => {
  const foundScenario = readProjectScenarios().find((scenario) => scenario.name === name)
  if (foundScenario === undefined) throw new Error(`no scenario ${name}`)
  return foundScenario
}

/** Lists the files in `fixtures` that no scenario mentions, and the files in `golden` that belong to no scenario. */
export const listStrayFiles = (scenarios: ReadonlyArray<NamedScenario>): ReadonlyArray<string> => {
  const strayFiles: string[] = []
  for (const file of listFiles(fixturesFolder))
    if (file !== 'README.md' && !isMentioned(file, scenarios)) strayFiles.push(`fixtures/${file}`)
  for (const file of listFiles(goldenFolder))
    if (!isGolden(file, scenarios)) strayFiles.push(`golden/${file}`)
  return strayFiles
}

/** Returns `true` if a file is the `scenario.json` of its folder, or if that `scenario.json` mentions it. */
const isMentioned = (file: string, scenarios: ReadonlyArray<NamedScenario>): boolean => {
  const owner = scenarios.find(({ name }) => file.startsWith(`${name}/`))
  if (owner === undefined) return false
  const pathInFolder = file.slice(owner.name.length + 1)
  return pathInFolder === 'scenario.json' || JSON.stringify(owner.scenario).includes(pathInFolder)
}

/** Returns `true` if a file is part of a scenario's golden: a stream, the exit code, or a file that the command wrote. */
const isGolden = (file: string, scenarios: ReadonlyArray<NamedScenario>): boolean => {
  const owner = scenarios.find(({ name }) => file.startsWith(`${name}/`))
  if (owner === undefined) return false
  return /^(stdout|stderr|exit|files\/.+)$/.test(file.slice(owner.name.length + 1))
}

import { join } from 'node:path'
import { Ajv } from 'ajv'
import { listFiles, type NamedScenario, readScenarios } from '../../lib/replay/scenarios'
import schema from '../../lib/replay/svc-scenario.schema.json'
import { root } from '../support/folders'

export const fixturesFolder = join(root, 'fixtures')
export const goldenFolder = join(root, 'golden')

const isScenario = new Ajv({ allowUnionTypes: true }).compile(schema)

/** Every scenario of the project, in order of name. Throws if one breaks the published JSON Schema. */
export const scenarios = (): ReadonlyArray<NamedScenario> => {
  const all = readScenarios(root)
  for (const { name, scenario } of all)
    if (!isScenario(scenario))
      throw new Error(
        `${name}: ${isScenario.errors?.map((one) => `${one.instancePath} ${one.message}`)}`,
      )
  return all
}

/** Files that are in no scenario, are not named by theirs, or are goldens of none. */
export const strays = (all: ReadonlyArray<NamedScenario>): ReadonlyArray<string> => {
  const named = (file: string): boolean => {
    const owner = all.find(({ name }) => file.startsWith(`${name}/`))
    if (owner === undefined) return file === 'README.md'
    const rest = file.slice(owner.name.length + 1)
    return rest === 'scenario.json' || JSON.stringify(owner.scenario).includes(rest)
  }
  const golden = (file: string): boolean =>
    all.some(({ name }) => /^\/(stdout|stderr|exit|files\/.+)$/.test(after(file, name)))
  return [
    ...listFiles(fixturesFolder)
      .filter((file) => !named(file))
      .map((file) => `fixtures/${file}`),
    ...listFiles(goldenFolder)
      .filter((file) => !golden(file))
      .map((file) => `golden/${file}`),
  ]
}

const after = (file: string, name: string): string =>
  file.startsWith(name) ? file.slice(name.length) : ''

import { join } from 'node:path'
import { listFiles, type Named, readScenarios } from '../../lib/replay/scenarios'
import { root } from '../support/folders'

export const fixturesFolder = join(root, 'fixtures')
export const goldenFolder = join(root, 'golden')

const keys = {
  scenario:
    'version title argv command env stdin conversation files tty exchanges order invalid waits only why',
  exchange: 'request response',
  request: 'method path headers body bodyFile',
  response: 'status headers body bodyFile bodyText encoding raw fault signal',
}

const refuseUnknown = (what: keyof typeof keys, name: string, value: object): void => {
  const unknown = Object.keys(value).find((key) => !keys[what].split(' ').includes(key))
  if (unknown !== undefined) throw new Error(`${name}: unknown field "${unknown}" in ${what}`)
}

const check = ({ name, scenario }: Named): void => {
  refuseUnknown('scenario', name, scenario)
  for (const exchange of scenario.exchanges ?? []) {
    refuseUnknown('exchange', name, exchange)
    refuseUnknown('request', name, exchange.request)
    refuseUnknown('response', name, exchange.response)
  }
  if (!/^\S.*[^.\s]$/.test(scenario.title ?? '')) throw new Error(`${name}: a one-line title`)
  if ((scenario.only === undefined) !== (scenario.why === undefined))
    throw new Error(`${name}: "only" and "why" come together`)
}

/** Every scenario of the project, in order of name, with no field that nobody knows. */
export const scenarios = (): ReadonlyArray<Named> => {
  const all = readScenarios(root)
  all.forEach(check)
  return all
}

/** Files that are in no scenario, are not named by theirs, or are goldens of none. */
export const strays = (all: ReadonlyArray<Named>): ReadonlyArray<string> => {
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

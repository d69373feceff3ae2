import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { type Draft, toJson } from '../../lib/json/draft'
import { type ReadFile, readContent } from '../../lib/replay/content'
import { type RecordedExchange, readScenario } from '../../lib/replay/scenario'
import { root } from '../support/folders'

export const fixturesFolder = join(root, 'fixtures')
export const goldenFolder = join(root, 'golden')

/** Bytes: text, a file of the scenario's folder, base64, a repeated text, or several of these in a row. */
export type Content =
  | string
  | { readonly file: string }
  | { readonly base64: string }
  | { readonly repeat: string; readonly times: number }
  | ReadonlyArray<Content>

/** What the service must be sent. A header of `null` must be absent. */
export interface ExpectedRequest {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string | null>>
  readonly body?: unknown
  readonly bodyFile?: string
}

/** What it answers. With a `fault`, what follows the bytes given: nothing else is said properly. */
export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly bodyFile?: string
  readonly bodyText?: Content
  readonly encoding?: 'gzip' | 'deflate' | 'br'
  readonly raw?: Content
  readonly fault?: 'end' | 'reset' | 'stall' | 'endless'
  readonly signal?: 'SIGINT' | 'SIGTERM'
}

export interface Exchange {
  readonly request: ExpectedRequest
  readonly response: Answer
}

/** One golden case as `scenario.json` writes it; CONTRIBUTING.md explains every field. */
export interface Scenario {
  readonly title: string
  readonly argv: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string | null>>
  readonly stdin?: Content
  readonly conversation?: string
  readonly files?: Readonly<Record<string, Content | { readonly folder: true }>>
  readonly tty?: ReadonlyArray<'stdin' | 'stdout' | 'stderr'>
  readonly exchanges?: ReadonlyArray<Exchange>
  readonly order?: 'any'
  readonly invalid?: true
  readonly waits?: ReadonlyArray<number>
  readonly only?: 'in-process' | 'bundle'
  readonly why?: string
}

/** A scenario with its name (`ask/ticket`) and folder. */
export interface Named {
  readonly name: string
  readonly folder: string
  readonly scenario: Scenario
}

const keys = {
  scenario: 'title argv env stdin conversation files tty exchanges order invalid waits only why',
  exchange: 'request response',
  request: 'method path headers body bodyFile',
  response: 'status headers body bodyFile bodyText encoding raw fault signal',
}

const refuseUnknown = (what: keyof typeof keys, name: string, value: object): void => {
  const unknown = Object.keys(value).find((key) => !keys[what].split(' ').includes(key))
  if (unknown !== undefined) throw new Error(`${name}: unknown field "${unknown}" in ${what}`)
}

const load = (name: string): Named => {
  const folder = join(fixturesFolder, name)
  const scenario = JSON.parse(readFileSync(join(folder, 'scenario.json'), 'utf8')) as Scenario
  refuseUnknown('scenario', name, scenario)
  for (const exchange of scenario.exchanges ?? []) {
    refuseUnknown('exchange', name, exchange)
    refuseUnknown('request', name, exchange.request)
    refuseUnknown('response', name, exchange.response)
  }
  if (!/^\S.*[^.\s]$/.test(scenario.title ?? '')) throw new Error(`${name}: a one-line title`)
  if ((scenario.only === undefined) !== (scenario.why === undefined))
    throw new Error(`${name}: "only" and "why" come together`)
  return { name, folder, scenario }
}

const filesBelow = (folder: string): ReadonlyArray<string> =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
        .sort()
    : []

/** Every scenario, in order of name. */
export const scenarios = (): ReadonlyArray<Named> =>
  filesBelow(fixturesFolder)
    .filter((file) => file.endsWith('/scenario.json'))
    .map((file) => load(dirname(file)))

const readIn =
  (folder: string): ReadFile =>
  async (name) =>
    readFileSync(join(folder, name))

/** The bytes that a content describes. */
export const bytesOf = async (folder: string, content: Content): Promise<Buffer> =>
  Buffer.from(await readContent(toJson(content as Draft), readIn(folder)))

/** The exchanges of a scenario, with the files that they name, as `svc serve --engine replay` reads them. */
export const readExchanges = async ({
  folder,
  scenario,
}: Named): Promise<ReadonlyArray<RecordedExchange>> =>
  (await readScenario(toJson(scenario as unknown as Draft), readIn(folder))).exchanges

/** The files of a scenario's folder that the program finds in its working folder. */
export const inputFiles = (folder: string): ReadonlyArray<string> =>
  filesBelow(folder).filter((file) => file !== 'scenario.json')

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
    ...filesBelow(fixturesFolder)
      .filter((file) => !named(file))
      .map((file) => `fixtures/${file}`),
    ...filesBelow(goldenFolder)
      .filter((file) => !golden(file))
      .map((file) => `golden/${file}`),
  ]
}

const after = (file: string, name: string): string =>
  file.startsWith(name) ? file.slice(name.length) : ''

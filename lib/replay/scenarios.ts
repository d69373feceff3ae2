import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { split } from 'shlex'
import { type Draft, toJson } from '../codec/json/draft'
import { reasonOf } from '../runtime/node/error-reason'
import { type ReadFile, readContent } from './content'
import { type RecordedExchange, type RecordedFault, readScenario, type Signal } from './scenario'

/** Bytes: text, a file of the scenario's folder, base64, a repeated text, or several of these in a row. */
export type ScenarioContent =
  | string
  | { readonly file: string }
  | { readonly base64: string }
  | { readonly repeat: string; readonly times: number }
  | ReadonlyArray<ScenarioContent>

/** What the service must be sent. A header of `null` must be absent. */
interface ExpectedRequest {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string | null>>
  readonly body?: unknown
  readonly bodyFile?: string
}

/** What the service answers. A `fault` says what becomes of the connection after the bytes given. */
export interface ScenarioAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly bodyFile?: string
  readonly bodyText?: ScenarioContent
  readonly encoding?: 'gzip' | 'deflate' | 'br'
  readonly raw?: ScenarioContent
  readonly fault?: RecordedFault
  readonly signal?: Signal
}

interface Exchange {
  readonly request: ExpectedRequest
  readonly response: ScenarioAnswer
}

/** One golden case as `scenario.json` writes it. `svc help fixtures` explains every field. */
export interface Scenario {
  readonly version?: 1
  readonly title: string
  /** One line as a person would type it: `svc ask --state 'The app crashes.'`. Without it the exchanges are only played. */
  readonly command?: string
  readonly env?: Readonly<Record<string, string | null>>
  readonly stdin?: ScenarioContent
  readonly conversation?: string
  readonly files?: Readonly<Record<string, ScenarioContent | { readonly folder: true }>>
  readonly tty?: ReadonlyArray<'stdin' | 'stdout' | 'stderr'>
  readonly exchanges?: ReadonlyArray<Exchange>
  readonly order?: 'any'
  readonly invalid?: true
  readonly waits?: ReadonlyArray<number>
  readonly only?: 'in-process'
  readonly why?: string
}

/** A scenario with its name (`ask/ticket`) and folder. */
export interface NamedScenario {
  readonly name: string
  readonly folder: string
  readonly scenario: Scenario
}

/** Lists the paths of all files below a folder, sorted; none where there is no folder. */
export const listFiles = (folder: string): ReadonlyArray<string> =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
        .sort()
    : []

/** Reads every scenario below a folder that holds `fixtures`, in order of name. */
export const readScenarios = (root: string): ReadonlyArray<NamedScenario> =>
  listFiles(join(root, 'fixtures'))
    .filter((file) => file.endsWith('/scenario.json'))
    .map((file) => {
      const folder = join(root, 'fixtures', dirname(file))
      return { name: dirname(file), folder, scenario: parseScenario(folder) }
    })

const parseScenario = (folder: string): Scenario => {
  const path = join(folder, 'scenario.json')
  try {
    const scenario = JSON.parse(readFileSync(path, 'utf8'))
    if (scenario.version !== undefined && scenario.version !== 1)
      throw new Error(`version ${scenario.version} needs a later svc`)
    return scenario
  } catch (error) {
    throw new Error(`${path}: ${reasonOf(error)}`)
  }
}

/**
 * Splits the command of a scenario into the arguments after `svc`, as a shell would: quotes, `\\` and `$'…'` work, variables
 * and wildcards stay as written. Throws if a quote is open or if the command is not `svc`.
 */
export const readArguments = ({
  command = 'svc',
}: Pick<Scenario, 'command'>): ReadonlyArray<string> => {
  const [program, ...args] = split(command)
  if (program !== 'svc') throw new Error(`"command" must begin with svc: ${command}`)
  return args
}

const readIn =
  (folder: string): ReadFile =>
  async (name) =>
    readFileSync(join(folder, name))

/** The bytes that a content describes. */
export const bytesOf = async (folder: string, content: ScenarioContent): Promise<Buffer> =>
  Buffer.from(await readContent(toJson(content as Draft), readIn(folder)))

/** Reads the exchanges of a scenario, with the files that they name, as `svc serve --engine replay` reads them. */
export const readExchanges = async ({
  folder,
  scenario,
}: NamedScenario): Promise<ReadonlyArray<RecordedExchange>> =>
  (await readScenario(toJson(scenario as unknown as Draft), readIn(folder))).exchanges

/** The files of a scenario's folder that the program finds in its working folder. */
export const inputFiles = (folder: string): ReadonlyArray<string> =>
  listFiles(folder).filter((file) => file !== 'scenario.json')

/** The scenarios and goldens as one file beside the program: gzip of a JSON object that has the texts by path. */
export const archiveName = 'fixtures.json.gz'

/** Packs texts by path. */
export const packArchive = (texts: Readonly<Record<string, string>>): Uint8Array =>
  gzipSync(JSON.stringify(texts), { level: 9 })

/** The paths and texts of an archive. */
export const unpackArchive = (
  archive: Uint8Array,
): ReadonlyArray<readonly [path: string, text: string]> =>
  Object.entries(JSON.parse(gunzipSync(archive).toString()))

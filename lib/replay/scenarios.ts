import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { split } from 'shlex'
import { type Draft, toJson } from '../codec/json/draft'
import { reasonOf } from '../runtime/node/error-reason'
import { createContentBudget, createScenarioBudget, type ReadFile, readContent } from './content'
import {
  decodeScenario,
  type RecordedExchange,
  type RecordedFault,
  type Signal,
} from './decode-scenario'
import { restoreLineEnds } from './line-ends'
import { readFileInside } from './scenario-paths'

/** A description of bytes: text, a file of the scenario's folder, base64, a repeated text, or a list of these. */
export type ScenarioContent =
  | string
  | { readonly file: string }
  | { readonly base64: string }
  | { readonly repeat: string; readonly times: number }
  | ReadonlyArray<ScenarioContent>

/** A request that the program must send. A header of `null` must be absent. */
interface ExpectedRequest {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string | null>>
  readonly body?: unknown
  readonly bodyFile?: string
}

/** A response of the service. `fault` says how the connection fails after it. */
export interface ScenarioResponse {
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

interface ScenarioExchange {
  readonly request: ExpectedRequest
  readonly response: ScenarioResponse
}

/** A `scenario.json`. The JSON Schema `svc-scenario.schema.json` describes its fields for users. */
export interface Scenario {
  readonly version?: 1
  readonly title: string
  /** The command on one line, as a person would type it. A scenario without a command only plays its exchanges. */
  readonly command?: string
  /** Environment variables; `null` removes one. */
  readonly env?: Readonly<Record<string, string | null>>
  readonly stdin?: ScenarioContent
  /** The name of a file with lines that are sent over stdin or expected on stdout, in turn. */
  readonly conversation?: string
  /** Files and folders that are created in the working folder, by path. */
  readonly files?: Readonly<Record<string, ScenarioContent | { readonly folder: true }>>
  /** The files of the scenario's folder whose lines end with CRLF. Any other text file that has only CRLF is read as LF. */
  readonly crlf?: ReadonlyArray<string>
  /** The streams that are terminals. */
  readonly tty?: ReadonlyArray<'stdin' | 'stdout' | 'stderr'>
  readonly exchanges?: ReadonlyArray<ScenarioExchange>
  /** `any` if the requests may come in any order. */
  readonly order?: 'any'
  /** `true` if svc cannot decode a 2xx response of this scenario. */
  readonly invalid?: true
  /** The expected waits between attempts, in milliseconds. */
  readonly waits?: ReadonlyArray<number>
  /**
   * `in-process` if a child process cannot repeat the scenario, for example because it needs a terminal or a simulated clock. `svc
   * fixtures --check` then leaves it out.
   */
  readonly only?: 'in-process'
  /** The reason for `only`. */
  readonly why?: string
}

/** A scenario (a command with the requests that it must send and the responses that it gets) that was read from a folder. */
export interface NamedScenario {
  /** The path of the folder below `fixtures`, such as `ask/ticket`. */
  readonly name: string
  /** The path of the folder. */
  readonly folder: string
  readonly scenario: Scenario
}

/** Lists the paths of all files below a folder, relative to the folder and sorted. Returns an empty list if it does not exist. */
export const listFiles = (folder: string): ReadonlyArray<string> =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
        .sort()
    : []

/** The folder of a scenario, whose `scenario.json` is not read yet. */
export interface ScenarioFolder {
  /** The path of the folder below `fixtures`, such as `ask/ticket`. */
  readonly name: string
  /** The path of the folder. */
  readonly folder: string
}

/** Lists the folders below `<root>/fixtures` that have a `scenario.json`, in order of name. */
export const listScenarioFolders = (root: string): ReadonlyArray<ScenarioFolder> =>
  listFiles(join(root, 'fixtures'))
    .filter((file) => file.endsWith('/scenario.json'))
    .map((file) => ({ name: dirname(file), folder: join(root, 'fixtures', dirname(file)) }))

/** Reads every scenario below `<root>/fixtures`, in order of name. Throws if one is not JSON. Does not check it. */
export const readScenarios = (root: string): ReadonlyArray<NamedScenario> =>
  listScenarioFolders(root).map((scenarioFolder) => {
    const { folder } = scenarioFolder
    try {
      return { ...scenarioFolder, scenario: parseScenario(readScenarioFile(folder)) }
    } catch (error) {
      throw new Error(`${join(folder, 'scenario.json')}: ${reasonOf(error)}`)
    }
  })

/** Reads the bytes of the `scenario.json` in a folder. */
export const readScenarioFile = (folder: string): Uint8Array =>
  readFileInside(folder, 'scenario.json')

/** Parses a `scenario.json`. Throws if it is not JSON. Does not check that it is a scenario. */
export const parseScenario = (bytes: Uint8Array): Scenario =>
  // A byte order mark may come first.
  JSON.parse(
    Buffer.from(bytes)
      .toString()
      .replace(/^\ufeff/, ''),
  )

/**
 * Splits the command of a scenario into the arguments after `svc`, as a shell would. Quotes, `\\` and `$'…'` work;
 * variables and wildcards are not expanded. Throws if a quote is not closed or if the command is not `svc`. A scenario without a
 * command has no arguments.
 */
export const parseArguments = ({
  command = 'svc',
}: Pick<Scenario, 'command'>): ReadonlyArray<string> => {
  const [program, ...args] = split(command)
  if (program !== 'svc') throw new Error(`"command" must begin with svc: ${command}`)
  return args
}

/**
 * Reads a file of a scenario's folder, with the line ends that it had when it was written. Throws if the path or a link leads out of
 * the folder.
 */
export const readInputFile = (
  { folder, scenario: { crlf = [] } }: Pick<NamedScenario, 'folder' | 'scenario'>,
  name: string,
): Buffer => Buffer.from(restoreLineEnds(readFileInside(folder, name), crlf.includes(name)))

/** Reads the bytes that a content describes. The casts to `Draft` are safe, because scenarios come from `JSON.parse`. */
export const readBytes = async (
  namedScenario: NamedScenario,
  content: ScenarioContent,
): Promise<Buffer> => {
  const read: ReadFile = async (name) => readInputFile(namedScenario, name)
  return Buffer.from(await readContent(toJson(content as Draft), read, createContentBudget()))
}

/** Reads the exchanges of a scenario, and the files that they name. */
export const readExchanges = async ({
  folder,
  scenario,
}: NamedScenario): Promise<ReadonlyArray<RecordedExchange>> => {
  const read: ReadFile = async (name) => readFileInside(folder, name)
  const budget = createScenarioBudget()
  return (await decodeScenario(toJson(scenario as unknown as Draft), read, budget)).exchanges
}

/** Lists the files of a scenario's folder that are copied into the working folder of its run: all but `scenario.json`. */
export const listInputFiles = (folder: string): ReadonlyArray<string> =>
  listFiles(folder).filter((file) => file !== 'scenario.json')

/** The file beside the installed program that holds its scenarios and goldens: gzip of a JSON object of texts by path. */
export const archiveName = 'fixtures.json.gz'

/** Encodes texts by path as an archive. */
export const encodeArchive = (texts: Readonly<Record<string, string>>): Uint8Array =>
  gzipSync(JSON.stringify(texts), { level: 9 })

/** Decodes an archive into the texts and their paths. */
export const decodeArchive = (
  archive: Uint8Array,
): ReadonlyArray<readonly [path: string, text: string]> =>
  Object.entries(JSON.parse(gunzipSync(archive).toString()))

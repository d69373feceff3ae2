import { basename, dirname, join } from 'node:path/posix'
import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { parseJson } from '../../../codec/json/parse'
import { type Failure, usage } from '../../../failure/failure'
import { runFileOperation } from '../../../failure/named-files'
import { type ByteBudget, createScenarioBudget, type ReadFile } from '../../../replay/content'
import { compactJson, decodeScenario, type RecordedResponse } from '../../../replay/decode-scenario'
import { codeOf, reasonOf } from '../../../runtime/node/error-reason'
import type { Files } from '../../../runtime/runtime'
import type { PassthroughRequest } from '../../contract/engine'
import { modelsPath, parseOperationPath } from '../../contract/operation-path'

/** One recorded exchange: a request and its response. A scenario is a folder with exchanges. */
export interface Recording {
  /** The scenario's folder, relative to the folder of all scenarios. */
  readonly scenario: string
  /** True if requests may come in any order. Each request then gets the response recorded for its body. */
  readonly anyOrder: boolean
  /** True if the scenario records a run of a command. `svc fixtures --check` repeats it. */
  readonly hasCommand: boolean
  readonly method: string
  /** The path with its query. */
  readonly path: string
  /** The requested operation; `undefined` if the service has no such path. */
  readonly operation: PassthroughRequest['operation'] | undefined
  /** The JSON of the request's body, without whitespace between tokens; `''` if there is no body. */
  readonly requestBody: string
  readonly response: RecordedResponse
}

export type RecordingFiles = Pick<Files, 'list' | 'readRegular'>

/** Reads the exchanges of all scenarios below a folder. Fails with a usage error if there is no exchange. */
export const readRecordings = (
  folder: string,
  files: RecordingFiles,
): TE.TaskEither<Failure, ReadonlyArray<Recording>> =>
  pipe(
    runFileOperation(`read fixtures ${folder}`, async () => {
      const recordings: Array<Recording> = []
      // All recordings stay in memory, so they share one budget.
      const budget = createScenarioBudget()
      for (const relativePath of await files.list(folder)) {
        if (basename(relativePath) !== scenarioFile) continue
        try {
          recordings.push(...(await readScenarioAt(folder, relativePath, files, budget)))
        } catch (error) {
          throw new Error(`${relativePath}: ${reasonOf(error)}`)
        }
      }
      return recordings
    }),
    TE.chainEitherK((recordings) =>
      recordings.length === 0
        ? E.left(usage(`no recorded exchange in ${folder}`))
        : E.right(recordings),
    ),
  )

const scenarioFile = 'scenario.json'

/** The maximum size of each file of a scenario. */
const maxFileBytes = 64 << 20

/** Reads the exchanges of one scenario. Rejects with a message for the operator if one of its files is missing or invalid. */
const readScenarioAt = async (
  folder: string,
  relativePath: string,
  files: RecordingFiles,
  budget: ByteBudget,
): Promise<ReadonlyArray<Recording>> => {
  const scenario = dirname(relativePath)
  const readFile = createReader(folder, relativePath, files)
  const document = parseJson(await readFile(scenarioFile))
  if (E.isLeft(document)) throw new Error(document.left.message)
  const { anyOrder, hasCommand, exchanges } = await decodeScenario(document.right, readFile, budget)
  return exchanges
    .filter(({ response }) => isSendable(response))
    .map(({ request, response }) => ({
      scenario,
      anyOrder,
      hasCommand,
      method: request.method,
      path: request.path,
      operation: findOperation(request.path),
      requestBody: compactJson(request.body),
      response,
    }))
}

/**
 * Returns true if Node can send a response with this status as a final one. Status 0 means that no status was recorded. Other
 * exchanges are skipped: tests of svc as a client record statuses that no server can send.
 */
const isSendable = ({ status }: RecordedResponse): boolean =>
  status === 0 || (status >= 200 && status <= 599)

const findOperation = (path: string): Recording['operation'] => {
  const operationPath = parseOperationPath(splitQuery(path).path)
  if (operationPath === undefined) return undefined
  return operationPath.route === modelsPath ? 'models' : 'ask'
}

/** Splits a recorded path. `search` is the query with its question mark, or `''`. */
export const splitQuery = (path: string): { readonly path: string; readonly search: string } => {
  const start = path.indexOf('?')
  return start < 0
    ? { path, search: '' }
    : { path: path.slice(0, start), search: path.slice(start) }
}

/**
 * Creates the function that reads a file of a scenario by its name in the scenario's folder. `relativePath` is the path of the
 * scenario.json below `folder`. The function rejects if the name or a link leads out of `folder`.
 */
const createReader =
  (folder: string, relativePath: string, files: RecordingFiles): ReadFile =>
  async (name) => {
    const file = join(dirname(relativePath), name)
    // `join` has resolved every `..` that does not lead out of the folder.
    const isOutside = /^\.\.(?:\/|$)/.test(file.replaceAll('\\', '/'))
    if (isOutside) throw new Error(`"${name}" is not below the folder`)
    const neverAborted = new AbortController().signal
    const options = { maxBytes: maxFileBytes, signal: neverAborted, within: folder }
    try {
      return (await files.readRegular(`${folder}/${file}`, options)).bytes
    } catch (error) {
      throw codeOf(error) === 'ELEAVESFOLDER'
        ? new Error(`a link of "${name}" leads out of the folder`)
        : error
    }
  }

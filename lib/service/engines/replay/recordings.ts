import { basename, dirname, join } from 'node:path/posix'
import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { parseJson } from '../../../codec/json/parse'
import { type Failure, usage } from '../../../failure/failure'
import { access } from '../../../failure/named-files'
import type { ReadFile } from '../../../replay/content'
import { type RecordedResponse, readScenario, squeezeJson } from '../../../replay/scenario'
import { codeOf } from '../../../runtime/node/error-reason'
import type { Files } from '../../../runtime/runtime'
import type { Passing } from '../../contract/engine'
import { modelsPath, operationPath } from '../../contract/operation-path'

/** One recorded exchange of an operation of the service. */
export interface Recording {
  /** The scenario's folder, relative to the folder of all scenarios. */
  readonly scenario: string
  /** Whether the scenario's requests may come in any order. Each then gets the response recorded for it. */
  readonly anyOrder: boolean
  readonly operation: Passing['operation']
  /** The part of the recorded path before `/v1`. */
  readonly prefix: string
  /** The request's JSON without whitespace between tokens; empty where it has no body. */
  readonly request: string
  readonly response: RecordedResponse
}

/** What reading recordings takes from the runtime. */
export type RecordingFiles = Pick<Files, 'list' | 'readRegular'>

/** Reads the exchanges of every `scenario.json` below a folder. Fails with a usage error where there are none. */
export const readRecordings = (
  folder: string,
  files: RecordingFiles,
): TE.TaskEither<Failure, ReadonlyArray<Recording>> =>
  pipe(
    access(`read fixtures ${folder}`, async () => {
      const found: Array<Recording> = []
      for (const path of await files.list(folder))
        if (basename(path) === scenarioFile)
          found.push(...(await readScenarioAt(folder, path, files)))
      return found
    }),
    TE.chainEitherK((found) =>
      found.length === 0 ? E.left(usage(`no recorded exchange in ${folder}`)) : E.right(found),
    ),
  )

/** The file in a scenario's folder that describes the scenario. */
const scenarioFile = 'scenario.json'

/** The largest file of a scenario that is read, in bytes. */
const maxFileSize = 64 << 20

const readScenarioAt = async (
  folder: string,
  path: string,
  files: RecordingFiles,
): Promise<ReadonlyArray<Recording>> => {
  const own = dirname(path)
  // Scenarios come from others, so neither a path nor a link in them may show files from elsewhere.
  const read: ReadFile = async (name) => {
    const file = join(own, name)
    if (/^\.\.(?:\/|$)/.test(file.replaceAll('\\', '/')))
      throw new Error(`${path}: "${name}" is not below the folder`)
    const options = { limit: maxFileSize, signal: new AbortController().signal, within: folder }
    const reading = files.readRegular(`${folder}/${file}`, options)
    return reading.then(
      ({ bytes }) => bytes,
      (error: unknown) => {
        throw codeOf(error) === 'ELEAVESFOLDER'
          ? new Error(`${path}: a link of "${name}" leads out of the folder`)
          : error
      },
    )
  }
  const document = parseJson(await read(scenarioFile))
  if (E.isLeft(document)) throw new Error(`${path}: ${document.left.message}`)
  const { anyOrder, exchanges } = await readScenario(document.right, read)
  return exchanges.flatMap(({ request, response }) => {
    const operation = operationPath(request.path)
    const { status } = response
    // A status below 200 is no response of its own: Node refuses to send it.
    if (operation === undefined || (status !== 0 && (status < 200 || status > 599))) return []
    return [
      {
        scenario: own,
        anyOrder,
        operation: operation.route === modelsPath ? 'models' : 'ask',
        prefix: operation.prefix,
        request: squeezeJson(request.body),
        response,
      },
    ]
  })
}

import * as E from 'fp-ts/Either'
import { nodeClock } from '../../lib/runtime/node/clock'
import { createSystemError } from '../../lib/runtime/node/error-reason'
import { openReplayEngine } from '../../lib/service/engines/replay/engine'
import type { RecordingFiles } from '../../lib/service/engines/replay/recordings'
import { type RunningService, startService } from './run-service'

/** The contents of files by their paths. A value other than a string is written as JSON. */
type FileContents = Readonly<Record<string, unknown>>

/** Creates files in memory. */
export const createRecordingFiles = (contents: FileContents): RecordingFiles => {
  const files = new Map<string, Buffer>()
  for (const [path, content] of Object.entries(contents))
    files.set(path, Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)))
  return {
    list: async (folder) => {
      const prefix = `${folder}/`
      const paths = [...files.keys()].filter((path) => path.startsWith(prefix))
      return paths.map((path) => path.slice(prefix.length)).sort()
    },
    readRegular: async (path) => {
      const bytes = files.get(path)
      if (bytes === undefined) throw createSystemError('ENOENT')
      return { bytes, size: bytes.length }
    },
  }
}

interface ReplaySettings {
  /** `scenario.json` of each scenario, by the scenario's name. */
  readonly scenarios: Readonly<Record<string, object>>
  /** Other files, by their paths in the folder. */
  readonly files?: FileContents
  /** If true, `GET /__svc/unused` lists the exchanges that no request has used. Default: false. */
  readonly isStrict?: boolean
}

/** Starts a service that replays scenarios. Throws if they cannot be read. */
export const startReplay = async (settings: ReplaySettings): Promise<RunningService> => {
  const contents: Record<string, unknown> = {}
  for (const [name, scenario] of Object.entries(settings.scenarios))
    contents[`fixtures/${name}/scenario.json`] = scenario
  for (const [path, content] of Object.entries(settings.files ?? {}))
    contents[`fixtures/${path}`] = content
  const files = createRecordingFiles(contents)
  const engine = await openReplayEngine('fixtures', files, nodeClock, settings.isStrict)()
  if (E.isLeft(engine)) throw new Error(JSON.stringify(engine.left))
  return startService(engine.right)
}

/** A request document with a yes/no question (`noul`) and a question of a type that svc does not know. */
export const ticketRequest = {
  model: 'm',
  state: 'a ticket',
  questions: { a: { type: 'noul' }, b: { type: 'x' } },
}

/** Creates an exchange as in a scenario.json: a request to /v1/questions with this body, and its response. */
export const createExchange = (body: unknown, response: object) => ({
  request: { method: 'POST', path: '/v1/questions', body },
  response,
})

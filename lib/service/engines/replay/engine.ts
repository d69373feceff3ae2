import * as E from 'fp-ts/Either'
import { identity, pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { findRightPath } from '../../../client/dialects/serve'
import { print } from '../../../codec/json/draft'
import { parseJson } from '../../../codec/json/parse'
import type { Failure } from '../../../failure/failure'
import { playResponse } from '../../../replay/play'
import type { RecordedResponse } from '../../../replay/scenario'
import type { Clock } from '../../../runtime/runtime'
import type {
  EngineContext,
  PassingEngine,
  PassingRequest,
  PassingResponse,
} from '../../contract/engine'
import { modelsPath, operationPath } from '../../contract/operation-path'
import { notRecorded, type Problem, wrongRoute } from '../../contract/problem'
import { describeNearest } from './nearest'
import { createPlayer } from './play-scenarios'
import { type Recording, type RecordingFiles, readRecordings } from './recordings'

/**
 * Creates the engine that answers with recorded responses. A request to the address of a scenario, `/<group>/<name>`,
 * gets that scenario's responses, whatever its body. A request to a route of the service gets the response recorded for
 * its body: at that route, else at another route with the same operation. It fails if its document belongs to another
 * route. If a scenario has the request several times, as with retries, it gives its responses in turn. If several
 * scenarios have the request, the first by name with only 2xx responses answers, else the first by name.
 *
 * With `strict` the message about a request that is not recorded shows the first difference from the nearest one, and
 * `listUnused` lists the recorded exchanges that were not requested.
 */
export const replayEngine = (
  folder: string,
  files: RecordingFiles,
  clock: Clock,
  strict = false,
): TE.TaskEither<Failure, PassingEngine> =>
  pipe(
    readRecordings(folder, files),
    TE.map((recordings) => createReplay(recordings, clock, strict)),
  )

const createReplay = (
  recordings: ReadonlyArray<Recording>,
  clock: Clock,
  strict: boolean,
): PassingEngine => {
  const choose = chooseByRequest(recordings.filter(isWhole), strict)
  const playNext = createPlayer(recordings)
  const played = new Set<PassingResponse | RecordedResponse>()
  const notePlayed = <A extends PassingResponse | RecordedResponse>(response: A): A => {
    played.add(response)
    return response
  }
  const toPlayed = (recorded: RecordedResponse): PassingResponse => ({
    ...recorded,
    play: (outgoing, headers) => playResponse(recorded, outgoing, headers, clock),
  })
  return {
    kind: 'passing',
    name: 'replay',
    pass: (request, { compute }) =>
      pipe(
        chooseWhen(
          request.body,
          compute,
        )(() => E.Chain.chain(readBody(request), (body) => choose(request, body))),
        TE.chainEitherK(identity),
        TE.map(notePlayed),
      ),
    play: (request, { compute }) =>
      pipe(
        compute(() => playNext(request)),
        TE.chainEitherK(identity),
        TE.map(notePlayed),
        TE.map(toPlayed),
      ),
    ...(strict && {
      listUnused: () =>
        recordings
          .filter(({ response }) => !played.has(response))
          .map(({ scenario, method, path }) => ({ scenario, method, path })),
    }),
    close: async () => undefined,
  }
}

/** A small body is read in less than a millisecond, so it does not wait for a turn. */
const chooseWhen = (body: Uint8Array, compute: EngineContext['compute']): typeof compute =>
  body.length > maxSmallBytes ? compute : TE.fromIO

const maxSmallBytes = 16 << 10

const isWhole = ({ response: { raw, fault } }: Recording): boolean =>
  raw === undefined && fault === undefined

/** The body of a request without whitespace between its tokens. Fails if it belongs to another route. */
const readBody = ({ operation, dialect, body }: PassingRequest): E.Either<Problem, string> => {
  if (operation === 'models') return E.right('')
  const document = parseJson(body)
  if (E.isLeft(document)) return E.right(Buffer.from(body).toString())
  const path = findRightPath(dialect, document.right)
  return path === undefined
    ? E.right(print(document.right, false).toString())
    : E.left(wrongRoute(path))
}

const chooseByRequest = (recordings: ReadonlyArray<Recording>, strict: boolean) => {
  const scripts = scriptsOf(recordings)
  const turns = new Map<string, number>()
  return (request: PassingRequest, body: string): E.Either<Problem, PassingResponse> => {
    const key = keysOfRequest(request, body).find((one) => scripts.has(one)) ?? ''
    const script = scripts.get(key)
    if (script === undefined) {
      const alike = recordings.filter((one) => one.operation === request.operation)
      return E.left(notRecorded(describeNearest(alike, body, strict)))
    }
    const turn = turns.get(key) ?? 0
    turns.set(key, turn + 1)
    return E.right(script[turn % script.length] as PassingResponse)
  }
}

/** The keys of a request in `scriptsOf`: first that of its own route, then that of any route with the same operation. */
const keysOfRequest = (
  { operation, dialect }: PassingRequest,
  body: string,
): ReadonlyArray<string> => {
  const route = operation === 'models' ? modelsPath : dialect.askPath
  return [`${route} ${body}`, `${operation} ${body}`]
}

const keysOfRecording = ({ path, operation, request }: Recording): ReadonlyArray<string> => {
  const route = operationPath(path)?.route
  return route === undefined ? [] : [`${route} ${request}`, `${operation} ${request}`]
}

/**
 * The responses to each request by its keys, in the order recorded: those of the first scenario with only 2xx responses,
 * else those of the first scenario.
 */
const scriptsOf = (
  recordings: ReadonlyArray<Recording>,
): ReadonlyMap<string, ReadonlyArray<PassingResponse>> => {
  const byKey = new Map<string, Map<string, Array<PassingResponse>>>()
  for (const recording of recordings)
    for (const key of keysOfRecording(recording)) {
      const byScenario = byKey.get(key) ?? new Map<string, Array<PassingResponse>>()
      byKey.set(key, byScenario)
      const script = byScenario.get(recording.scenario) ?? []
      byScenario.set(recording.scenario, [...script, recording.response])
    }
  return new Map([...byKey].map(([key, scripts]) => [key, choosePreferred([...scripts.values()])]))
}

const choosePreferred = (
  scripts: ReadonlyArray<ReadonlyArray<PassingResponse>>,
): ReadonlyArray<PassingResponse> =>
  scripts.find((script) => script.every(({ status }) => status <= 299)) ?? scripts[0] ?? []

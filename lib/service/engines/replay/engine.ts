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
import { notRecorded, type Problem, wrongRoute } from '../../contract/problem'
import { describeNearest } from './nearest'
import { createPlayer } from './play-scenarios'
import { type Recording, type RecordingFiles, readRecordings } from './recordings'

/**
 * The engine that answers with recorded responses. A request to the address of a scenario, `/<group>/<name>`, gets
 * that scenario's responses for any body. A request to a route of the service is looked up among the recorded ones,
 * unless its document belongs to another route. If one scenario has the request several times, to show retries, its
 * responses are given in turn. If several scenarios have it, the first by name with only 2xx responses answers;
 * without one, the first by name. `strict` shows the first difference of a request that is not recorded, and lists
 * the exchanges that were not requested.
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
    write: (outgoing, headers) => playResponse(recorded, outgoing, headers, clock),
  })
  return {
    kind: 'passing',
    name: 'replay',
    pass: (request, { compute }) =>
      pipe(
        chooseWhen(
          request.body,
          compute,
        )(() => E.Chain.chain(readBody(request), (body) => choose(request.operation, body))),
        TE.chainEitherK(identity),
        TE.map(notePlayed),
      ),
    playScenario: (request, { compute }) =>
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

const keyOfRequest = (operation: string, request: string): string => `${operation} ${request}`

const chooseByRequest = (recordings: ReadonlyArray<Recording>, strict: boolean) => {
  const scripts = scriptsOf(recordings)
  const turns = new Map<string, number>()
  return (
    operation: PassingRequest['operation'],
    body: string,
  ): E.Either<Problem, PassingResponse> => {
    const key = keyOfRequest(operation, body)
    const script = scripts.get(key)
    if (script === undefined) {
      const alike = recordings.filter((one) => one.operation === operation)
      return E.left(notRecorded(describeNearest(alike, body, strict)))
    }
    const turn = turns.get(key) ?? 0
    turns.set(key, turn + 1)
    return E.right(script[turn % script.length] as PassingResponse)
  }
}

/** For each request, the responses of the scenario that answers it, in the order recorded. */
const scriptsOf = (
  recordings: ReadonlyArray<Recording>,
): ReadonlyMap<string, ReadonlyArray<PassingResponse>> => {
  const found = new Map<string, Map<string, Array<PassingResponse>>>()
  for (const { operation, request, scenario, response } of recordings) {
    if (operation === undefined) continue
    const key = keyOfRequest(operation, request)
    const byScenario = found.get(key) ?? new Map<string, Array<PassingResponse>>()
    found.set(key, byScenario)
    byScenario.set(scenario, [...(byScenario.get(scenario) ?? []), response])
  }
  return new Map([...found].map(([key, byScenario]) => [key, preferred([...byScenario.values()])]))
}

const preferred = (
  scripts: ReadonlyArray<ReadonlyArray<PassingResponse>>,
): ReadonlyArray<PassingResponse> =>
  scripts.find((script) => script.every(({ status }) => status <= 299)) ?? scripts[0] ?? []

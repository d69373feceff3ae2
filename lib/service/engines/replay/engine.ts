import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Failure } from '../../../failure/failure'
import type { RecordedResponse } from '../../../replay/decode-scenario'
import { playResponse } from '../../../replay/play'
import type { Clock } from '../../../runtime/runtime'
import type { PassthroughEngine, PassthroughResponse } from '../../contract/engine'
import { createChooser } from './choose-response'
import { createPlayer } from './play-scenarios'
import { type Recording, type RecordingFiles, readRecordings } from './recordings'

/**
 * Opens the engine that answers with recorded responses. A scenario is a folder of recorded exchanges: requests and responses. A
 * request to the address of a scenario, `/<group>/<name>`, gets that scenario's responses in order, for any body. A request to a
 * route of the service gets the response recorded for the same body. If a scenario has the same request several times, its responses
 * come in order.
 *
 * If `isStrict`, the message about a request that is not recorded shows the first difference from the most similar one, and
 * `listUnused` lists the exchanges that were not requested, without those of recorded commands.
 */
export const openReplayEngine = (
  folder: string,
  files: RecordingFiles,
  clock: Clock,
  isStrict = false,
): TE.TaskEither<Failure, PassthroughEngine> =>
  pipe(
    readRecordings(folder, files),
    TE.map((recordings) => createReplay(recordings, clock, isStrict)),
  )

/** The maximum size of a body whose work is not queued, because it takes less than 1 ms. */
const maxSmallBytes = 16 << 10

const createReplay = (
  recordings: ReadonlyArray<Recording>,
  clock: Clock,
  isStrict: boolean,
): PassthroughEngine => {
  const choose = createChooser(recordings, isStrict)
  const playNext = createPlayer(recordings)
  // A response is one object, so equal responses of two recordings count separately.
  const playedResponses = new Set<PassthroughResponse | RecordedResponse>()
  const markPlayed = <A extends PassthroughResponse | RecordedResponse>(response: A): A => {
    playedResponses.add(response)
    return response
  }
  const toResponse = (recorded: RecordedResponse): PassthroughResponse => ({
    ...recorded,
    isRecorded: true,
    write: (outgoing, headers) => playResponse(recorded, outgoing, headers, clock),
  })
  const listUnused = () =>
    recordings
      .filter(({ hasCommand, response }) => !hasCommand && !playedResponses.has(response))
      .map(({ scenario, method, path }) => ({ scenario, method, path }))
  const engine: PassthroughEngine = {
    kind: 'passthrough',
    name: 'replay',
    pass: (request, { compute }) => {
      // `TE.fromIO` runs the work at once.
      const run: typeof compute = request.body.length > maxSmallBytes ? compute : TE.fromIO
      return pipe(
        run(() => choose(request)),
        TE.chainEitherK((result) => result),
        TE.map(markPlayed),
        TE.map((response) => ({ ...response, isRecorded: true }) as const),
      )
    },
    playScenario: (request, { compute }) =>
      pipe(
        compute(() => playNext(request)),
        TE.chainEitherK((result) => result),
        TE.map(markPlayed),
        TE.map(toResponse),
      ),
    close: async () => undefined,
  }
  return isStrict ? { ...engine, listUnused } : engine
}

import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Failure } from '../../../failure/failure'
import type { Files } from '../../../runtime/runtime'
import { notRecorded, problemBody } from '../../problem'
import type { Passed, Passing, PassingEngine } from '../engine'
import { nearest } from './nearest'
import { type Recording, readRecordings, squeezed } from './recordings'

/**
 * The engine that answers recorded requests with their recorded responses. Where one scenario has the same
 * request several times, as one that shows retries does, its responses come in turn. Where several scenarios
 * have the same request, the first by name that only succeeds answers it, else the first by name. D39
 */
export const replayEngine = (
  folder: string,
  files: Pick<Files, 'list' | 'read'>,
): TE.TaskEither<Failure, PassingEngine> =>
  pipe(
    readRecordings(folder, files),
    TE.map((recordings) => {
      const choose = chooser(recordings)
      return {
        kind: 'passing',
        name: 'replay',
        pass: (request) => async () => E.right(choose(request)),
        close: async () => undefined,
      }
    }),
  )

const keyOf = (operation: string, request: string): string => `${operation} ${request}`

const chooser = (recordings: ReadonlyArray<Recording>) => {
  const scripts = scriptsOf(recordings)
  const turns = new Map<string, number>()
  return (request: Passing): Passed => {
    const asked = request.operation === 'ask' ? squeezed(request.body) : ''
    const key = keyOf(request.operation, asked)
    const script = scripts.get(key)
    if (script === undefined) {
      const alike = recordings.filter(({ operation }) => operation === request.operation)
      return unmatched(nearest(alike, asked))
    }
    const turn = turns.get(key) ?? 0
    turns.set(key, turn + 1)
    return script[turn % script.length] as Passed
  }
}

/** For each request the responses of the scenario that answers it, in turn. */
const scriptsOf = (
  recordings: ReadonlyArray<Recording>,
): ReadonlyMap<string, ReadonlyArray<Passed>> => {
  const found = new Map<string, Map<string, Array<Passed>>>()
  for (const { operation, request, scenario, response } of recordings) {
    const key = keyOf(operation, request)
    const byScenario = found.get(key) ?? new Map<string, Array<Passed>>()
    found.set(key, byScenario)
    byScenario.set(scenario, [...(byScenario.get(scenario) ?? []), response])
  }
  return new Map([...found].map(([key, byScenario]) => [key, preferred([...byScenario.values()])]))
}

const preferred = (scripts: ReadonlyArray<ReadonlyArray<Passed>>): ReadonlyArray<Passed> =>
  scripts.find((script) => script.every(({ status }) => status <= 299)) ?? scripts[0] ?? []

const unmatched = (message: string): Passed => {
  const problem = notRecorded(message)
  return {
    status: problem.status,
    headers: [['content-type', 'application/json']],
    body: Buffer.from(problemBody(problem)),
  }
}

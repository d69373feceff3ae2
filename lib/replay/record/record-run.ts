import { join } from 'node:path'
import * as E from 'fp-ts/Either'
import { describeChoice } from '../../client/providers/check-address'
import { resolveWithoutKey } from '../../client/providers/destination'
import type { DestinationSettings } from '../../client/providers/destination-settings'
import { type Failure, usage } from '../../failure/failure'
import { reasonOf } from '../../runtime/node/error-reason'
import type { Runtime } from '../../runtime/runtime'
import type { Redact } from '../../text/secret'
import { formatGolden, removeGolden, writeGolden } from '../golden'
import { hasOnlyCrlf } from '../line-ends'
import { createLinkFreeFile, removeLinkFreeFolder } from '../link-free-files'
import { findProgram } from '../program'
import { runProgram } from '../run-program'
import { listFiles, readScenarios } from '../scenarios'
import { type ObservedRun, observeRun } from './observe-run'
import { describeCommand, flagsNotRecorded } from './recorded-command'
import {
  type ClaimedScenario,
  claimScenario,
  makeRecordedFolder,
  redactBytes,
  redactExchange,
  writeBodies,
} from './recorded-files'
import { toRecordedPath } from './recorded-path'

/** The part of a command's context that recording uses. */
interface RecordableContext {
  readonly runtime: Runtime
  readonly redact: Redact
  readonly destinationSettings: DestinationSettings
  /** The API key of the environment variables. `key` is absent if no variable sets a key. */
  readonly environmentKey: { readonly key?: unknown }
  /** Returns the arguments after `svc` without the flags of these names, and with the paths that `mapPath` returns. */
  readonly describeArgv: (
    names: ReadonlyArray<string>,
    mapPath: (path: string) => string,
  ) => ReadonlyArray<string>
}

/**
 * Runs a command and writes it as a scenario below `folder`, with its golden: the output that the scenario must have. Fails with a usage
 * error, without running the command, if the folder cannot be made. If the scenario cannot be written, svc reports the reason on stderr
 * and still returns the result of the command.
 */
export const runRecorded = async <C extends RecordableContext, A>(
  folder: string,
  context: C,
  run: (context: C) => Promise<E.Either<Failure, A>>,
): Promise<E.Either<Failure, A>> => {
  const { runtime } = context
  const playable = await checkPlayable(context)
  if (E.isLeft(playable)) return playable
  const made = await makeRecordedFolder(folder)
  if (E.isLeft(made)) return made
  const observation = observeRun(runtime)
  const result = await run({ ...context, runtime: observation.runtime })
  try {
    await recordRun(folder, context, observation.listObserved())
  } catch (error) {
    await runtime.stderr.write(`svc: recording ended: ${reasonOf(error)}\n`)
  }
  return result
}

/** Fails with a usage error if the run asks a language model in this process: its file is too large for a scenario. */
const checkPlayable = async ({
  runtime,
  destinationSettings,
}: RecordableContext): Promise<E.Either<Failure, void>> => {
  const destination = await resolveWithoutKey(destinationSettings, runtime.env)
  // The command reports invalid settings itself.
  if (E.isLeft(destination) || destination.right.engine?.name !== 'local') return E.right(undefined)
  const advice = 'record with svc serve --engine local --record <folder>'
  return E.left(
    usage(`--record cannot be combined with ${describeChoice(destinationSettings)}: ${advice}`),
  )
}

/** Writes a run as a new scenario with its golden. Deletes both if it does not play back, or if they cannot be written. */
const recordRun = async (
  folder: string,
  context: RecordableContext,
  observed: ObservedRun,
): Promise<void> => {
  const scenario = claimScenario(folder, observed.exchanges[0])
  const { name } = scenario
  try {
    await writeScenario(folder, scenario, context, observed)
    await recordGolden(folder, name, context.runtime)
  } catch (error) {
    removeRecorded(folder, name)
    throw error
  }
}

/** Deletes what has been written of a scenario and its golden. */
const removeRecorded = (folder: string, name: string): void => {
  const scenarioFolder = `fixtures/${name}`
  removeLinkFreeFolder(folder, scenarioFolder, listFiles(join(folder, scenarioFolder)))
  removeGolden(folder, name)
}

/** Writes `scenario.json`, the bodies of the exchanges, stdin, and the files that the run read. */
const writeScenario = async (
  folder: string,
  { name, title }: ClaimedScenario,
  context: RecordableContext,
  { exchanges, stdin, inputs, outputFolders }: ObservedRun,
): Promise<void> => {
  const { runtime, redact, destinationSettings, environmentKey, describeArgv } = context
  const { env } = runtime
  const create = (path: string, data: string | Uint8Array) =>
    createLinkFreeFile(folder, `fixtures/${name}/${path}`, data)
  const argv = describeArgv(flagsNotRecorded, (path) =>
    path === '-' ? path : toRecordedPath(path),
  )
  const hasKey = (destinationSettings.key ?? environmentKey.key) !== undefined
  const crlf: Array<string> = []
  /** Writes a file that the run read. */
  const copyInput = async (path: string, bytes: Uint8Array): Promise<void> => {
    if (hasOnlyCrlf(bytes)) crlf.push(path)
    await create(path, redactBytes(bytes, redact))
  }
  const recordedInputs = [...inputs].map(([path, bytes]) => [toRecordedPath(path), bytes] as const)
  // Keeps the bodies from overwriting a file that the run read, such as `request.json`.
  const isBodyNameTaken = recordedInputs.some(([path]) => /^(request|response)/.test(path))
  const prefix = isBodyNameTaken ? 'exchange-' : ''
  const describedExchanges: Array<unknown> = []
  for (const [index, exchange] of exchanges.entries())
    describedExchanges.push(
      await writeBodies(redactExchange(exchange, redact), { create, index, prefix }),
    )
  const hasStdin = stdin.length > 0
  if (hasStdin) await copyInput('stdin', stdin)
  for (const [path, bytes] of recordedInputs) await copyInput(path, bytes)
  // A scenario starts in an empty folder, so it names the folders that the run wrote into.
  const folders = [...new Set([...outputFolders].map(toRecordedPath))].filter(
    (path) => path !== '.',
  )
  // `JSON.stringify` leaves out members that are `undefined`.
  const scenario = {
    version: 1,
    title,
    ...(await describeCommand({ argv, destinationSettings, hasKey, redact }, env)),
    stdin: hasStdin ? { file: 'stdin' } : undefined,
    files:
      folders.length > 0
        ? Object.fromEntries(folders.map((path) => [path, { folder: true }]))
        : undefined,
    crlf: crlf.length > 0 ? crlf : undefined,
    // The exchanges are in the order in which they ended, which may not be that of the requests.
    order: describedExchanges.length > 1 ? 'any' : undefined,
    exchanges: describedExchanges,
  }
  await create('scenario.json', `${JSON.stringify(scenario, undefined, 2)}\n`)
}

/** Runs a recorded scenario once and writes its outcome as the golden. Throws if its requests differ from the recorded ones. */
const recordGolden = async (
  folder: string,
  name: string,
  { env, signal }: Pick<Runtime, 'env' | 'signal'>,
): Promise<void> => {
  const recorded = readScenarios(folder).find((scenario) => scenario.name === name)
  if (recorded === undefined) throw new Error(`${name} cannot be read`)
  const program = await findProgram(undefined, env, signal)
  const outcome = await runProgram(recorded, program, { signal })
  const [problem] = outcome.problems
  if (problem !== undefined) throw new Error(`it does not play back: ${problem}`)
  writeGolden(folder, name, formatGolden(outcome))
}

import { mkdirSync, rmSync } from 'node:fs'
import { dirname, isAbsolute, join, normalize } from 'node:path'
import * as E from 'fp-ts/Either'
import type { DestinationSettings } from '../client/providers/destination-settings'
import type { Failure } from '../failure/failure'
import { reasonOf } from '../runtime/node/error-reason'
import type { Files, Runtime } from '../runtime/runtime'
import type { Redact } from '../text/secret'
import { findProgram } from './check'
import { formatGolden, writeGolden } from './golden'
import { type ObservedRun, observeRun } from './observe-run'
import { describeCommand, flagsNotRecorded } from './recorded-command'
import {
  fileMode,
  findLastNumber,
  joinRecordedFolder,
  makeRecordedFolder,
  nameScenario,
  redactBytes,
  redactExchange,
  writeBodies,
} from './recorded-files'
import { runProgram } from './run-program'
import { readScenarios } from './scenarios'

/** The part of a command's context that recording uses. */
interface RecordableContext {
  readonly runtime: Runtime
  readonly redact: Redact
  readonly destinationSettings: DestinationSettings
  /** The API key of the environment variables. `key` is absent if no variable sets a key. */
  readonly environmentKey: { readonly key?: unknown }
  /** Returns the arguments after `svc` as typed, without the flags of these names. */
  readonly argvWithout: (names: ReadonlyArray<string>) => ReadonlyArray<string>
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
  const made = await makeRecordedFolder(folder, runtime.files)
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

/** Writes a run as a new scenario with its golden. Deletes the scenario if it does not play back. */
const recordRun = async (
  folder: string,
  context: RecordableContext,
  observed: ObservedRun,
): Promise<void> => {
  const recordedFolder = joinRecordedFolder(folder)
  const number = (await findLastNumber(recordedFolder, context.runtime.files)) + 1
  const { name, title } = nameScenario(number, observed.exchanges[0])
  const scenarioFolder = join(recordedFolder, name)
  // Fails if another run has made this folder meanwhile.
  mkdirSync(scenarioFolder)
  try {
    await writeScenario(scenarioFolder, title, context, observed)
    await recordGolden(folder, `recorded/${name}`, context.runtime)
  } catch (error) {
    rmSync(scenarioFolder, { recursive: true, force: true })
    throw error
  }
}

/** Writes `scenario.json`, the bodies of the exchanges, stdin, and the files that the run read. */
const writeScenario = async (
  scenarioFolder: string,
  title: string,
  context: RecordableContext,
  { exchanges, stdin, inputs }: ObservedRun,
): Promise<void> => {
  const { runtime, redact, destinationSettings, environmentKey, argvWithout } = context
  const { env, files } = runtime
  const argv = argvWithout(flagsNotRecorded)
  const hasKey = (destinationSettings.key ?? environmentKey.key) !== undefined
  // Keeps the bodies from overwriting a file that the run read, such as `request.json`.
  const prefix = [...inputs.keys()].some(isNamedLikeBody) ? 'exchange-' : ''
  const describedExchanges: Array<unknown> = []
  for (const [index, exchange] of exchanges.entries()) {
    const bodyFiles = { folder: scenarioFolder, index, prefix }
    describedExchanges.push(await writeBodies(redactExchange(exchange, redact), bodyFiles, files))
  }
  const hasStdin = stdin.length > 0
  // `JSON.stringify` leaves out members that are `undefined`.
  const scenario = {
    version: 1,
    title,
    ...(await describeCommand({ argv, destinationSettings, hasKey, redact }, env)),
    stdin: hasStdin ? { file: 'stdin' } : undefined,
    // The exchanges are in the order in which they ended, which may not be that of the requests.
    order: describedExchanges.length > 1 ? 'any' : undefined,
    exchanges: describedExchanges,
  }
  if (hasStdin)
    await files.create(join(scenarioFolder, 'stdin'), redactBytes(stdin, redact), fileMode)
  for (const [path, bytes] of inputs)
    await copyInput(path, redactBytes(bytes, redact), scenarioFolder, files)
  const text = `${JSON.stringify(scenario, undefined, 2)}\n`
  await files.create(join(scenarioFolder, 'scenario.json'), text, fileMode)
}

/** Returns `true` if a file that the run read could have the name of a recorded body, such as `request.json`. */
const isNamedLikeBody = (path: string): boolean => /^(request|response)/.test(normalize(path))

/** Copies a file that the run read into the scenario's folder. Throws if the file is outside the working folder. */
const copyInput = async (
  path: string,
  bytes: Uint8Array,
  scenarioFolder: string,
  files: Pick<Files, 'makeFolder' | 'create'>,
): Promise<void> => {
  // A scenario runs in a folder of its own, so it can only name files below its working folder.
  // This also refuses a name such as `..a`, which is below it but rare.
  if (isAbsolute(path) || normalize(path).startsWith('..'))
    throw new Error(`${path} is not below the working folder`)
  await files.makeFolder(dirname(join(scenarioFolder, path)))
  await files.create(join(scenarioFolder, path), bytes, fileMode)
}

/** Runs a recorded scenario once and writes its outcome as the golden. Throws if its requests differ from the recorded ones. */
const recordGolden = async (
  folder: string,
  name: string,
  { env }: Pick<Runtime, 'env'>,
): Promise<void> => {
  const recorded = readScenarios(folder).find((scenario) => scenario.name === name)
  if (recorded === undefined) throw new Error(`${name} cannot be read`)
  const outcome = await runProgram(recorded, findProgram(undefined, env.PATH))
  const [problem] = outcome.problems
  if (problem !== undefined) throw new Error(`it does not play back: ${problem}`)
  writeGolden(folder, name, formatGolden(outcome))
}

import { mkdirSync, rmSync } from 'node:fs'
import { isAbsolute, join, normalize } from 'node:path'
import type { DestinationSettings } from '../client/providers/destination-settings'
import type { Redact } from '../failure/text/redact'
import { reasonOf } from '../runtime/node/error-reason'
import type { Files, Runtime } from '../runtime/runtime'
import { findProgram } from './check'
import { formatGolden, writeGolden } from './golden'
import { type ObservedRun, observeRun } from './observe-run'
import { describeCommand, flagsNotRecorded } from './recorded-command'
import {
  fileMode,
  findLastNumber,
  nameScenario,
  redactBytes,
  redactExchange,
  type ScenarioName,
  writeBodies,
} from './recorded-files'
import { runProgram } from './run-program'
import { readScenarios } from './scenarios'

/** The part of a command's context that recording reads. */
interface RecordableContext {
  readonly runtime: Runtime
  readonly redact: Redact
  readonly destinationSettings: DestinationSettings
  /** The key that the environment has. */
  readonly key: { readonly key?: unknown }
  /** Returns the arguments after `svc` as typed, without the flags of these names. */
  readonly argvWithout: (names: ReadonlyArray<string>) => ReadonlyArray<string>
}

/**
 * Runs a command and writes it as a scenario with its golden below `folder`. If that fails, it writes the reason to
 * stderr. The result of the command is the same in any case.
 */
export const runRecorded = async <C extends RecordableContext, A>(
  folder: string,
  context: C,
  run: (context: C) => () => Promise<A>,
): Promise<A> => {
  const { runtime } = context
  const observation = observeRun(runtime)
  const result = await run({ ...context, runtime: observation.runtime })()
  try {
    await writeRun(folder, context, observation.listObserved())
  } catch (error) {
    await runtime.stderr.write(`svc: recording ended: ${reasonOf(error)}\n`)
  }
  return result
}

/** Writes a new scenario. Removes it again if it does not play back. */
const writeRun = async (
  folder: string,
  context: RecordableContext,
  observed: ObservedRun,
): Promise<void> => {
  const { files } = context.runtime
  const recorded = join(folder, 'fixtures', 'recorded')
  const number = (await findLastNumber(recorded, files)) + 1
  const named = nameScenario(number, observed.exchanges[0])
  const scenarioFolder = join(recorded, named.name)
  // Fails if another run has made this folder meanwhile.
  mkdirSync(scenarioFolder)
  try {
    await writeScenario(scenarioFolder, named, context, observed)
    await writeItsGolden(folder, `recorded/${named.name}`, context.runtime)
  } catch (error) {
    rmSync(scenarioFolder, { recursive: true, force: true })
    throw error
  }
}

const writeScenario = async (
  scenarioFolder: string,
  { title }: ScenarioName,
  { runtime, redact, destinationSettings, key, argvWithout }: RecordableContext,
  { exchanges, stdin, inputs }: ObservedRun,
): Promise<void> => {
  const { env, files } = runtime
  const hasKey = (destinationSettings.key ?? key.key) !== undefined
  const settings = { argv: argvWithout(flagsNotRecorded), destinationSettings, hasKey, redact }
  const prefix = [...inputs.keys()].some(looksLikeBody) ? 'exchange-' : ''
  const written: Array<unknown> = []
  for (const [index, exchange] of exchanges.entries()) {
    const place = { folder: scenarioFolder, index, prefix }
    written.push(await writeBodies(redactExchange(exchange, redact), place, files))
  }
  const scenario = {
    version: 1,
    title,
    ...(await describeCommand(settings, env)),
    ...(stdin.length > 0 && { stdin: { file: 'stdin' } }),
    ...(written.length > 1 && { order: 'any' }),
    exchanges: written,
  }
  if (stdin.length > 0)
    await files.create(join(scenarioFolder, 'stdin'), redactBytes(stdin, redact), fileMode)
  for (const [path, bytes] of inputs)
    await copyInput(path, redactBytes(bytes, redact), scenarioFolder, files)
  const text = `${JSON.stringify(scenario, undefined, 2)}\n`
  await files.create(join(scenarioFolder, 'scenario.json'), text, fileMode)
}

/** True if a file of the user could have the name of a recorded body. */
const looksLikeBody = (path: string): boolean => /^(request|response)/.test(normalize(path))

/** Writes a file that the command read into the scenario's folder. Throws if it is outside the working folder. */
const copyInput = async (
  path: string,
  bytes: Uint8Array,
  scenarioFolder: string,
  files: Pick<Files, 'makeFolder' | 'create'>,
): Promise<void> => {
  if (isAbsolute(path) || normalize(path).startsWith('..'))
    throw new Error(`${path} is not below the working folder`)
  await files.makeFolder(join(scenarioFolder, path, '..'))
  await files.create(join(scenarioFolder, path), bytes, fileMode)
}

/** Runs a scenario once and writes what came as its golden. Throws if its requests differ from the recorded ones. */
const writeItsGolden = async (
  folder: string,
  name: string,
  { env }: Pick<Runtime, 'env'>,
): Promise<void> => {
  const named = readScenarios(folder).find((one) => one.name === name)
  if (named === undefined) throw new Error(`${name} cannot be read`)
  const outcome = await runProgram(named, findProgram(undefined, env.PATH))
  const [problem] = outcome.problems
  if (problem !== undefined) throw new Error(`it does not play back: ${problem}`)
  writeGolden(folder, name, formatGolden(outcome))
}

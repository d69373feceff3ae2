import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { isAbsolute, join, normalize } from 'node:path'
import { join as joinWords } from 'shlex'
import type { Redact } from '../failure/text/redact'
import { reasonOf } from '../runtime/node/error-reason'
import type { Fetch, Files, Runtime } from '../runtime/runtime'
import { findProgram } from './check'
import { toGolden, writeGolden } from './golden'
import {
  findLastNumber,
  keptHeaders,
  nameScenario,
  type RecordableExchange,
  redactBytes,
  redactExchange,
  writeBodies,
} from './recorder'
import { runProgram } from './run-program'
import { readScenarios } from './scenarios'

/** Runs a command and records it below a folder. Says on stderr if that is not possible, which changes no result. */
export const runRecorded = async <
  C extends { readonly runtime: Runtime; readonly redact: Redact },
  A,
>(
  folder: string,
  context: C,
  run: (context: C) => () => Promise<A>,
): Promise<A> => {
  const { runtime } = context
  const recorded = recordRun(folder, process.argv.slice(2), runtime, context.redact)
  const result = await run({ ...context, runtime: recorded.runtime })()
  const reason = await recorded.finish()
  if (reason !== undefined) await runtime.stderr.write(`svc: recording ended: ${reason}\n`)
  return result
}

/** A command that is being recorded. */
interface RecordedRun {
  /** The runtime for the command. It notes the exchanges, the files that are read, and standard input. */
  readonly runtime: Runtime
  /**
   * Writes the scenario below the folder, and its golden by running it once against what was recorded. Resolves with the
   * reason if that is not possible.
   */
  readonly finish: () => Promise<string | undefined>
}

/** Starts to record a command. `words` are its arguments. */
const recordRun = (
  folder: string,
  words: ReadonlyArray<string>,
  runtime: Runtime,
  redact: Redact,
): RecordedRun => {
  const exchanges: Array<RecordableExchange> = []
  const stdin: Array<Uint8Array> = []
  const read = new Set<string>()
  const written = new Set<string>()
  const recording: Runtime = {
    ...runtime,
    fetch: noteExchanges(runtime.fetch, exchanges),
    files: noteFiles(runtime.files, read, written),
    stdin: {
      ...runtime.stdin,
      read: async (limit, signal) => {
        const bytes = await runtime.stdin.read(limit, signal)
        stdin.push(bytes)
        return bytes
      },
      chunks: (signal) => passOn(runtime.stdin.chunks(signal), (chunk) => stdin.push(chunk)),
    },
  }
  const finish = async (): Promise<string | undefined> => {
    try {
      const inputs = [...read].filter((path) => !written.has(path))
      await writeRun(folder, words, runtime, redact, {
        exchanges: exchanges.map((exchange) => redactExchange(exchange, redact)),
        stdin: redactBytes(Buffer.concat(stdin), redact),
        inputs,
      })
      return undefined
    } catch (error) {
      return reasonOf(error)
    }
  }
  return { runtime: recording, finish }
}

async function* passOn(
  chunks: AsyncIterable<Uint8Array>,
  note: (chunk: Uint8Array) => void,
  end = (): void => undefined,
): AsyncIterable<Uint8Array> {
  for await (const chunk of chunks) {
    note(chunk)
    yield chunk
  }
  end()
}

const noteExchanges =
  (fetch: Fetch, exchanges: Array<RecordableExchange>): Fetch =>
  async (url, init) => {
    const response = await fetch(url, init)
    const { pathname, search } = new URL(url)
    const { method, body = '' } = init
    const pieces = typeof body === 'string' || body instanceof Uint8Array ? [body] : body
    const requestBody = Buffer.concat(pieces.map((piece) => Buffer.from(piece)))
    const received: Array<Uint8Array> = []
    const headers = Object.fromEntries(
      keptHeaders.flatMap((name) => {
        const value = response.header(name)
        return value === null ? [] : [[name, value]]
      }),
    )
    const note = (): void => {
      exchanges.push({
        method,
        path: pathname + search,
        requestBody,
        status: response.status,
        headers,
        responseBody: Buffer.concat(received),
      })
    }
    return { ...response, body: passOn(response.body, (chunk) => received.push(chunk), note) }
  }

const noteFiles = (files: Files, read: Set<string>, written: Set<string>): Files => ({
  ...files,
  read: (path, limit) => {
    read.add(path)
    return files.read(path, limit)
  },
  readRegular: (path, options) => {
    read.add(path)
    return files.readRegular(path, options)
  },
  chunks: (path, signal) => {
    read.add(path)
    return files.chunks(path, signal)
  },
  openOutput: (path) => {
    written.add(path)
    return files.openOutput(path)
  },
})

interface Noted {
  readonly exchanges: ReadonlyArray<RecordableExchange>
  readonly stdin: Uint8Array
  readonly inputs: ReadonlyArray<string>
}

/** Writes a run as a new scenario with its golden. Removes what it wrote if the scenario does not play back. */
const writeRun = async (
  folder: string,
  words: ReadonlyArray<string>,
  runtime: Runtime,
  redact: Redact,
  noted: Noted,
): Promise<void> => {
  const recorded = join(folder, 'fixtures', 'recorded')
  const number = (await findLastNumber(recorded, runtime.files)) + 1
  const { name, title } = nameScenario(number, noted.exchanges[0])
  // Fails if another run has made it since.
  mkdirSync(join(recorded, name))
  try {
    await writeScenario({ folder, name, title }, words, runtime, redact, noted)
  } catch (error) {
    rmSync(join(recorded, name), { recursive: true, force: true })
    throw error
  }
}

const writeScenario = async (
  {
    folder,
    name,
    title,
  }: { readonly folder: string; readonly name: string; readonly title: string },
  words: ReadonlyArray<string>,
  { env, files }: Runtime,
  redact: Redact,
  { exchanges, stdin, inputs }: Noted,
): Promise<void> => {
  const own = join(folder, 'fixtures', 'recorded', name)
  const basePath = new URL(env.SERVICE_BASE_URL || 'http://localhost').pathname.replace(/\/$/, '')
  const model = env.SERVICE_DEFAULT_MODEL
  const settings = {
    ...(basePath !== '' && { SERVICE_BASE_URL: `{base_url}${basePath}` }),
    ...(model && { SERVICE_DEFAULT_MODEL: model }),
  }
  const scenario = {
    version: 1,
    title,
    command: joinWords(['svc', ...cleanWords(words).map(redact)]),
    ...(Object.keys(settings).length > 0 && { env: settings }),
    ...(stdin.length > 0 && { stdin: { file: 'stdin' } }),
    order: exchanges.length > 1 ? 'any' : undefined,
    exchanges: await Promise.all(
      exchanges.map((exchange, index) => writeBodies(own, exchange, index, files)),
    ),
  }
  if (stdin.length > 0) await files.create(join(own, 'stdin'), stdin, 0o644)
  for (const path of inputs) {
    if (isAbsolute(path) || normalize(path).startsWith('..'))
      throw new Error(`${path} is not below the working folder`)
    await files.makeFolder(join(own, path, '..'))
    await files.create(join(own, path), redactBytes(readFileSync(path), redact), 0o644)
  }
  const text = `${JSON.stringify(scenario, undefined, 2)}\n`
  await files.create(join(own, 'scenario.json'), text, 0o644)
  const named = readScenarios(folder).find((one) => one.name === `recorded/${name}`)
  if (named === undefined) throw new Error(`${own} cannot be read`)
  const outcome = await runProgram(named, findProgram(undefined, env.PATH))
  const [problem] = outcome.problems
  if (problem !== undefined) throw new Error(`it does not play back: ${problem}`)
  writeGolden(folder, named.name, toGolden(outcome))
}

/** Flags with a value that a scenario must not have: where it is recorded, and keys. */
const leftOut = ['--record', '--api-key']

/** The words of a command without the recording and the key, and with the address of the recorded service. */
const cleanWords = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const kept: Array<string> = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    const [flag = ''] = word.split('=', 1)
    const isJoined = word.includes('=')
    const value = isJoined ? word.slice(flag.length + 1) : words[at + 1]
    const isKnown = flag === '--base-url' || leftOut.includes(flag)
    if (!isKnown) kept.push(word)
    else if (!isJoined) at += 1
    if (flag === '--base-url') {
      const path = new URL(value ?? '').pathname.replace(/\/$/, '')
      kept.push('--base-url', `{base_url}${path}`)
    }
  }
  return kept
}

import * as assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as E from 'fp-ts/Either'
import * as TE from 'fp-ts/TaskEither'
import { type Draft, toJson } from '../../../../lib/codec/json/draft'
import { nodeClock } from '../../../../lib/runtime/node/clock'
import { nodeFiles } from '../../../../lib/runtime/node/files'
import { noSpan } from '../../../../lib/runtime/tracer'
import type { AnsweringEngine, EngineQuestion } from '../../../../lib/service/contract/engine'
import type { Library, Sequence } from '../../../../lib/service/engines/local/library'
import {
  type LocalModel,
  type LocalRuntime,
  loadModel,
} from '../../../../lib/service/engines/local/load-model'
import { type LocalOptions, openLocalModel } from '../../../../lib/service/engines/local/open-local'
import { loadLlamaLibrary } from '../../../llama/install-llama'
import { createTemporaryFolder } from '../../../support/folders'
import { createServeNames } from '../engine-settings'
import { createTinyModel, type TinyModel } from './tiny-model'

const folder = createTemporaryFolder()

/** Writes a model file into a temporary folder, and returns its path. */
export const writeModel = (name: string, bytes: Uint8Array): string => {
  const path = join(folder, name)
  writeFileSync(path, bytes)
  return path
}

/** The model of most tests, with random weights. */
export const tiny: TinyModel = createTinyModel()
export const tinyPath = writeModel('tiny.gguf', tiny.file)

export const testRuntime: LocalRuntime = {
  files: nodeFiles,
  clock: nodeClock,
  signal: new AbortController().signal,
  stderr: { isTTY: false, write: async () => undefined },
}

let sharedLlama: ReturnType<Library['getLlama']> | undefined

/** Loads the library. Its engines share one llama.cpp, which is never disposed, because loading it takes most of a second. */
const loadSharedLibrary = async (): Promise<Library> => {
  const library = await loadLlamaLibrary()
  return {
    ...library,
    getLlama: async (options) => {
      sharedLlama ??= library.getLlama(options)
      return replaceMember(await sharedLlama, 'dispose', async () => undefined)
    },
  }
}

interface TestEngineOptions extends Partial<LocalOptions> {
  /** Loads the library. By default, all engines share one. */
  readonly load?: () => Promise<Library>
}

/** Opens an engine. It uses one thread, because several threads would wait for each other on a busy machine. */
export const openTestEngine = (
  { load = loadSharedLibrary, ...options }: TestEngineOptions = {},
  runtime = testRuntime,
) =>
  openLocalModel(
    {
      model: tinyPath,
      context: 2048,
      threads: 1,
      permutations: 1,
      temperature: 1,
      names: createServeNames('local'),
      purpose: 'service',
      ...options,
    },
    runtime,
    load,
  )()

/** Loads a model without an engine. */
export const openTestModel = async (path: string): Promise<LocalModel> => {
  const options = { model: path, context: 2048, threads: 1, names: createServeNames('local') }
  const model = await loadModel(options, await loadSharedLibrary(), testRuntime)
  assert.ok(E.isRight(model), path)
  return model.right
}

/** Runs a test with an engine, and closes it. */
export const withEngine = async (
  run: (engine: AnsweringEngine) => Promise<void>,
  options: TestEngineOptions = {},
): Promise<void> => {
  const engine = await openTestEngine(options)
  assert.ok(E.isRight(engine), JSON.stringify(engine))
  try {
    await run(engine.right)
  } finally {
    await engine.right.close()
  }
}

interface AskOptions {
  readonly signal?: AbortSignal
  /** The id of the caller's API key. */
  readonly holderId?: string
}

/** Asks an engine questions about a state: any JSON value. */
export const ask = (
  engine: AnsweringEngine,
  state: Draft,
  questions: Readonly<Record<string, EngineQuestion>>,
  { signal = new AbortController().signal, holderId }: AskOptions = {},
) =>
  engine.answer(
    { state: toJson(state), questions: Object.entries(questions) },
    { signal, holderId, span: noSpan, compute: TE.fromIO },
  )()

/** Asks an engine, which must answer. Returns the answers. */
export const expectAnswers = async (...askArguments: Parameters<typeof ask>) => {
  const result = await ask(...askArguments)
  assert.ok(E.isRight(result), JSON.stringify(result))
  return result.right.answers
}

/** Returns a function that loads the library. The library calls `onBatch` with the number of tokens before it evaluates a batch. */
export const watchLibrary =
  (onBatch: (tokenCount: number) => void) => async (): Promise<Library> => {
    const library = await loadSharedLibrary()
    return {
      ...library,
      getLlama: async (options) => {
        const llama = await library.getLlama(options)
        return replaceMember(llama, 'loadModel', async (file) => {
          const model = await llama.loadModel(file)
          return replaceMember(model, 'createContext', async (sizes) => {
            const context = await model.createContext(sizes)
            const getSequence = () => watchSequence(context.getSequence(), onBatch)
            return { contextSize: context.contextSize, getSequence }
          })
        })
      },
    }
  }

const watchSequence = (sequence: Sequence, onBatch: (tokenCount: number) => void): Sequence =>
  replaceMember(sequence, 'controlledEvaluate', (input) => {
    onBatch(input.length)
    return sequence.controlledEvaluate(input)
  })

/** Returns a proxy with one member replaced. A copy of an object of the library would lose its methods and private members. */
const replaceMember = <T extends object, K extends keyof T>(object: T, name: K, value: T[K]): T =>
  new Proxy(object, {
    get: (target, key) => {
      if (key === name) return value
      const member = Reflect.get(target, key, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })

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
import { type LocalOptions, openLocalEngine } from '../../../../lib/service/engines/local/engine'
import type { Library, Sequence } from '../../../../lib/service/engines/local/library'
import { type LocalModel, loadModel } from '../../../../lib/service/engines/local/load-model'
import { loadLlamaLibrary } from '../../../llama/install-llama'
import { createTemporaryFolder } from '../../../support/folders'
import { type TinyModel, tinyModel } from './tiny-model'

const folder = createTemporaryFolder()

/** Writes a file for the engine to load, and returns its path. */
export const writeModel = (name: string, bytes: Uint8Array): string => {
  const path = join(folder, name)
  writeFileSync(path, bytes)
  return path
}

/** The model of most tests, and its path. */
export const tiny: TinyModel = tinyModel()
export const tinyPath = writeModel('tiny.gguf', tiny.file)

const runtime = {
  files: nodeFiles,
  clock: nodeClock,
  signal: new AbortController().signal,
  stderr: { isTTY: false, write: async () => undefined },
}

let llama: ReturnType<Library['getLlama']> | undefined

/** The library, whose start, which takes most of a second, is shared by all engines of a file. */
const sharedLibrary = async (): Promise<Library> => {
  const library = await loadLlamaLibrary()
  return {
    ...library,
    getLlama: async (options) => {
      llama ??= library.getLlama(options)
      return replaced(await llama, 'dispose', async () => undefined)
    },
  }
}

/**
 * Opens an engine with these options. It uses one thread, because several would wait for each other on a busy
 * machine.
 */
export const openWith = (
  options: Partial<LocalOptions> = {},
  load: () => Promise<Library> = sharedLibrary,
) =>
  openLocalEngine(
    {
      model: tinyPath,
      context: 2048,
      threads: 1,
      permutations: 1,
      temperature: 1,
      ...options,
    },
    runtime,
    load,
  )()

/** A model without an engine, opened as an engine does. */
export const openTestModel = async (path: string): Promise<LocalModel> => {
  const options = { model: path, context: 2048, threads: 1 }
  const model = await loadModel(options, await sharedLibrary(), runtime)
  assert.ok(E.isRight(model), path)
  return model.right
}

/** Runs a test with an engine, and closes it. */
export const withEngine = async (
  run: (engine: AnsweringEngine) => Promise<void>,
  options: Partial<LocalOptions> = {},
  load?: () => Promise<Library>,
): Promise<void> => {
  const engine = await openWith(options, load)
  assert.ok(E.isRight(engine), JSON.stringify(engine))
  try {
    await run(engine.right)
  } finally {
    await engine.right.close()
  }
}

/** Asks an engine, as the holderId of a key. */
export const ask = (
  engine: AnsweringEngine,
  state: Draft,
  questions: Readonly<Record<string, EngineQuestion>>,
  signal: AbortSignal = new AbortController().signal,
  holderId?: string,
) =>
  engine.answer(
    { state: toJson(state), questions: Object.entries(questions) },
    { signal, holderId, span: noSpan, compute: TE.fromIO },
  )()

/** The answers, which there must be. */
export const expectAnswers = async (...asked: Parameters<typeof ask>) => {
  const result = await ask(...asked)
  assert.ok(E.isRight(result), JSON.stringify(result))
  return result.right.answers
}

/** The library, which reports the number of tokens of each batch before the model reads it. */
export const watchLibrary = (batch: (tokens: number) => void): (() => Promise<Library>) =>
  withEvaluation((sequence) => (input) => {
    batch(input.length)
    return sequence.controlledEvaluate(input)
  })

/** The library with another evaluation of batches. */
const withEvaluation =
  (evaluate: (sequence: Sequence) => Sequence['controlledEvaluate']) =>
  async (): Promise<Library> => {
    const library = await sharedLibrary()
    return {
      ...library,
      getLlama: async (options) => {
        const llama = await library.getLlama(options)
        return replaced(llama, 'loadModel', async (file) => {
          const model = await llama.loadModel(file)
          return replaced(model, 'createContext', async (sizes) => {
            const context = await model.createContext(sizes)
            const getSequence = () => {
              const sequence = context.getSequence()
              return replaced(sequence, 'controlledEvaluate', evaluate(sequence))
            }
            return { contextSize: context.contextSize, getSequence }
          })
        })
      },
    }
  }

/** An object with another member in the place of one of its own. */
const replaced = <T extends object, K extends keyof T>(object: T, name: K, value: T[K]): T =>
  new Proxy(object, {
    get: (target, key) => {
      if (key === name) return value
      const found = Reflect.get(target, key, target)
      return typeof found === 'function' ? found.bind(target) : found
    },
  })

import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../../failure/failure'
import type { ReadoutOptions } from '../readout/answers'

/** The settings of the `local` engine. Each field names the flag that sets it. */
export interface LocalOptions extends ReadoutOptions {
  /** `--engine-model`: the path of a GGUF file, or `hf:user/repo:quant`. Required. */
  readonly model: string
  /** `--engine-context`: the most tokens of a prompt and its one-token answer together. */
  readonly context: number
  /** `--engine-threads`: how many threads compute. 0 takes as many as the process may use cores. */
  readonly threads: number
}

/** Checks ranges that the types of the flags do not express. Fails with a usage error that names the flag. */
export const checkLocalOptions = (options: LocalOptions): E.Either<Failure, LocalOptions> => {
  const { model } = options
  if (model === '')
    return E.left(usage('--engine local needs --engine-model: a .gguf file, or hf:user/repo:quant'))
  if (model.startsWith('hf:') && !/^hf:[^/:#\s]+\/[^/:#\s]+/.test(model))
    return E.left(usage(`--engine-model must be a .gguf file or hf:user/repo:quant, got ${model}`))
  return E.right(options)
}

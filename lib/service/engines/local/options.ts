import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { type Failure, usage } from '../../../failure/failure'
import { checkTemperature, type ReadoutOptions } from '../readout/answers'

/** Which model the `local` engine runs, and how. Each field names the flag that sets it. */
export interface LocalOptions extends ReadoutOptions {
  /** `--engine-model`: the path of a GGUF file, or `hf:user/repo:quant`. Required. */
  readonly model: string
  /** `--engine-download`: whether a model that is named by `hf:` is fetched where it is missing. */
  readonly download: boolean
  /** `--engine-context`: the most tokens of a prompt and its answer. */
  readonly context: number
  /** `--engine-threads`: how many threads compute; 0 for as many as the processor has cores for it. */
  readonly threads: number
}

/** Checks what the flags' types cannot; the messages name the flag. */
export const checkLocalOptions = (options: LocalOptions): E.Either<Failure, LocalOptions> =>
  options.model === ''
    ? E.left(usage('--engine local needs --engine-model: a .gguf file, or hf:user/repo:quant'))
    : pipe(
        checkTemperature(options.temperature),
        E.map(() => options),
      )

import type { GivenPolicy } from '../policy/policy'
import type { RowForm } from '../rows/form'
import type { Fields } from '../rows/row'
import type { Shard } from '../rows/rows'
import type { Price } from './cost'

/** The rows of a run. */
export interface InputOptions {
  /** The path of the input; `-` is standard input. */
  readonly path: string
  readonly form: RowForm
  readonly fields: Fields
  /** `true` if images may be outside the folder of the input. */
  readonly followLinks: boolean
  /** Takes only the first rows. */
  readonly limit: number | undefined
  /** Takes only one of several parts of the rows, after `limit`. */
  readonly shard: Shard | undefined
  /** Asks each row this many times; `undefined` asks it once and leaves `run` out of its record. */
  readonly repeat: number | undefined
}

/** The file that the records of a run are written to. */
export interface OutputOptions {
  readonly path: string
  /** The treatment of a file that is not empty. `retry` asks its failed rows again, and then goes on. */
  readonly existing: 'refuse' | 'resume' | 'retry' | 'overwrite'
}

/** The options of `svc batch` that do not concern single rows. */
export interface RunOptions {
  readonly input: InputOptions
  /** `undefined` for stdout. */
  readonly output: OutputOptions | undefined
  readonly price: Price | undefined
  /** Starts no new row once the run has cost this, by `price`. */
  readonly maxCost: number | undefined
  /** The policy of the plan, with its path. */
  readonly policy: GivenPolicy | undefined
  /** `true` with `--reuse`. */
  readonly hasReuse: boolean
}

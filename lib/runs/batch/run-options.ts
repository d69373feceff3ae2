import type { LoadedPolicy } from '../policy/policy'
import type { RowForm } from '../rows/form'
import type { RowFields } from '../rows/row'
import type { Shard } from '../rows/rows'
import type { TokenPrice } from './cost'

/** The input of a run, and the rows that are selected from it. */
export interface InputOptions {
  /** The path of the input; `-` is standard input. */
  readonly path: string
  /** The format, encoding and delimiter. */
  readonly form: RowForm
  /** The roles of the fields of rows, such as the id or a label. */
  readonly fields: RowFields
  /** `true` if images may be outside the folder of the input. */
  readonly followLinks: boolean
  /** Selects at most this number of rows, from the first on; `undefined` selects all. */
  readonly limit: number | undefined
  /** Selects only this part of the rows that `limit` leaves; `undefined` selects all of them. */
  readonly shard: Shard | undefined
  /** The number of requests for each row; `undefined` for one, whose record has no `run`. */
  readonly repeat: number | undefined
}

/** The file that the records of a run are written to. */
export interface OutputOptions {
  readonly path: string
  /** The treatment of an output file that is not empty. `retry` sends the requests of its failed rows again, and then resumes. */
  readonly existing: 'refuse' | 'resume' | 'retry' | 'overwrite'
}

/** The options of a run of `svc batch`. */
export interface RunOptions {
  readonly input: InputOptions
  /** `undefined` for stdout. */
  readonly output: OutputOptions | undefined
  readonly price: TokenPrice | undefined
  /** The cost by `price` at which the run stops; `undefined` for no limit. */
  readonly maxCost: number | undefined
  /** The policy of the plan, with its path. */
  readonly policy: LoadedPolicy | undefined
  /** `true` if the run reuses answers of earlier runs. */
  readonly reusesAnswers: boolean
}

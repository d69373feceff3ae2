import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import type { Context } from '../../cli/declaration'
import { type Failure, usage } from '../../failure/failure'
import type { GivenPolicy } from '../policy/policy'
import { decideForm, type RowForm } from '../rows/flags'
import type { Fields } from '../rows/row'
import type { Shard } from '../rows/rows'
import type { Plan } from './ask-row'
import { type Price, parsePrice } from './cost'
import type { BatchFlags, batchFlags } from './flags'

/** What `svc batch` has access to. */
export type BatchContext = Context<typeof batchFlags>

/** What the flags decide, once checked. */
export interface Settings {
  readonly form: RowForm
  readonly shard: Shard | undefined
  /** The path of the output file; `undefined` for stdout, which `-o -` stands for too. */
  readonly output: string | undefined
  readonly price: Price | undefined
}

/** What is decided before the first row is read. */
export interface Prepared {
  readonly settings: Settings
  readonly plan: Plan
  readonly policy: GivenPolicy | undefined
  readonly fields: Fields
}

/** Checks the flags, each and together. Fails with a usage error. */
export const checkSettings = ({ flags }: BatchContext): E.Either<Failure, Settings> =>
  pipe(
    E.Do,
    E.bind('form', () => decideForm(flags.input, flags)),
    E.bind('shard', () => parseShard(flags.shard)),
    E.bind('price', () => parsePrice(flags.price)),
    E.let('output', () => (flags.output === '-' ? undefined : flags.output)),
    E.chainFirst((settings) => {
      const fault = findFault(flags, settings)
      return fault === undefined ? E.right(undefined) : E.left(usage(fault))
    }),
  )

const parseShard = (text: string | undefined): E.Either<Failure, Shard | undefined> => {
  if (text === undefined) return E.right(undefined)
  const [, first, second] = /^(\d{1,9})\/(\d{1,9})$/.exec(text) ?? []
  const [number, of] = [Number(first), Number(second)]
  return number >= 1 && number <= of
    ? E.right({ number, of })
    : E.left(usage(`--shard must be <i>/<n> with i from 1 to n, got ${text}`))
}

/** Finds what is wrong with the flags together. */
const findFault = (
  flags: BatchFlags,
  { form: { format }, output, price }: Settings,
): string | undefined => {
  const { file, resume } = flags
  const hasQuestions = flags.noul.length + flags.choice.length + flags.score.length > 0
  if (file !== undefined && hasQuestions)
    return '--file cannot be combined with --noul, --choice, or --score'
  if (file === undefined && !hasQuestions)
    return 'no questions given: pass --file, --noul, --choice, or --score'
  if (file === '-' && flags.input === '-')
    return '--file - needs the rows from a file: pass --input'
  if (resume && output === undefined) return '--resume needs --output'
  if (flags.overwrite && resume) return '--overwrite cannot be combined with --resume'
  if (flags.overwrite && output === undefined) return '--overwrite needs --output'
  if (flags['retry-errors'] && !resume) return '--retry-errors needs --resume'
  if (flags['reuse-where'].length > 0 && flags.reuse.length === 0)
    return '--reuse-where needs --reuse'
  if (flags['max-cost'] !== undefined && price === undefined) return '--max-cost needs --price'
  const { 'state-field': state, 'id-field': id, 'group-field': group, label } = flags
  const hasFields = [state, id, group, label[0]].some((field) => field !== undefined)
  return format === 'lines' && hasFields
    ? 'rows that are lines have no fields: use JSONL or CSV'
    : undefined
}

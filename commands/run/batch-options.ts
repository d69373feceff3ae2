import { extname } from 'node:path'
import * as E from 'fp-ts/Either'
import type { EngineCallFlag, EngineCallFlags } from '../../lib/cli/client'
import type { ContextWith } from '../../lib/cli/declaration'
import { maxImages, stateTextMember } from '../../lib/codec/images'
import { type Failure, usage } from '../../lib/failure/failure'
import type { PackingOptions } from '../../lib/measure/compare/pack-proof'
import { parsePrice, type TokenPrice } from '../../lib/runs/batch/cost'
import { packFlagNames } from '../../lib/runs/batch/pack/packing'
import type { OutputOptions } from '../../lib/runs/batch/run-options'
import { parseAllowance } from '../../lib/runs/gate/allowance'
import { decideForm, type FormFlags, type RowForm } from '../../lib/runs/rows/form'
import type { Shard } from '../../lib/runs/rows/rows'
import type { QuestionFlags } from '../request/request-flags'

/** The flags of `svc batch`, as the command line has them. */
export interface BatchFlags extends QuestionFlags, FormFlags, EngineCallFlags {
  readonly file: string | undefined
  readonly input: string
  readonly output: string | undefined
  readonly record: string | undefined
  readonly 'state-field': string | undefined
  readonly 'id-field': string | undefined
  readonly 'group-field': string | undefined
  readonly label: ReadonlyArray<string>
  readonly 'image-field': ReadonlyArray<string>
  readonly 'follow-links': boolean
  readonly 'with-state': boolean
  readonly require: ReadonlyArray<string>
  readonly policy: string | undefined
  readonly pin: boolean
  readonly concurrency: number
  readonly reuse: ReadonlyArray<string>
  readonly 'reuse-where': ReadonlyArray<string>
  readonly price: string | undefined
  readonly 'max-cost': number | undefined
  readonly pack: number | undefined
  readonly 'pack-check': number
  readonly 'max-flips': string
  readonly rpm: number | undefined
  readonly resume: boolean
  readonly overwrite: boolean
  readonly 'retry-errors': boolean
  readonly 'keep-going': boolean
  readonly 'fail-fast': boolean
  readonly limit: number | undefined
  readonly shard: string | undefined
  readonly repeat: number | undefined
  readonly permute: number | undefined
  readonly 'dry-run': boolean
}

/** The context of `svc batch`. */
export type BatchContext = ContextWith<
  BatchFlags,
  'model' | 'pack-check' | 'max-flips' | EngineCallFlag
>

/** The flags of `svc batch` that need parsing, parsed. */
export interface CheckedOptions {
  readonly form: RowForm
  readonly shard: Shard | undefined
  /** `undefined` for stdout, also with `-o -`. */
  readonly output: OutputOptions | undefined
  readonly price: TokenPrice | undefined
}

/** Parses the flags, and checks that they fit together. Fails with a usage error. */
export const checkOptions = (flags: BatchFlags): E.Either<Failure, CheckedOptions> => {
  const form = decideForm(flags.input, flags)
  if (E.isLeft(form)) return form
  const shard = parseShard(flags.shard)
  if (E.isLeft(shard)) return shard
  const price = parsePrice(flags.price)
  if (E.isLeft(price)) return price
  const output = decideOutput(flags)
  const fault =
    describeQuestionFault(flags) ??
    describeImageFault(flags) ??
    describeOutputFault(flags, output) ??
    describeRowFlagFault(flags, form.right, price.right)
  return fault === undefined
    ? E.right({ form: form.right, shard: shard.right, output, price: price.right })
    : E.left(usage(fault))
}

/** Parses `<i>/<n>`, such as `2/8`: the second of eight parts. */
const parseShard = (text: string | undefined): E.Either<Failure, Shard | undefined> => {
  if (text === undefined) return E.right(undefined)
  const failure = usage(`--shard must be <i>/<n> with i from 1 to n, got ${text}`)
  // JavaScript reads numbers of nine digits exactly.
  const match = /^(\d{1,9})\/(\d{1,9})$/.exec(text)
  if (match === null) return E.left(failure)
  const number = Number(match[1])
  const count = Number(match[2])
  return number >= 1 && number <= count ? E.right({ number, count }) : E.left(failure)
}

/** Returns the output file and what happens to its content; `undefined` for stdout. */
const decideOutput = (flags: BatchFlags): OutputOptions | undefined => {
  const { output: path, resume, overwrite } = flags
  if (path === undefined || path === '-') return undefined
  if (overwrite) return { path, existing: 'overwrite' }
  if (!resume) return { path, existing: 'refuse' }
  return { path, existing: flags['retry-errors'] ? 'retry' : 'resume' }
}

const describeQuestionFault = ({ file, input, noul, choice, score }: BatchFlags) => {
  const hasQuestions = noul.length + choice.length + score.length > 0
  if (file !== undefined && hasQuestions)
    return '--file cannot be combined with --noul, --choice, or --score'
  if (file === undefined && !hasQuestions)
    return 'no questions given: pass --file, --noul, --choice, or --score'
  return file === '-' && input === '-'
    ? '--file - needs the rows from a file: pass --input'
    : undefined
}

const describeImageFault = (flags: BatchFlags): string | undefined => {
  const { 'image-field': imageFields, 'state-field': stateField } = flags
  if (flags['follow-links'] && imageFields.length === 0) return '--follow-links needs --image-field'
  if (imageFields.length > maxImages) return `--image-field can be given ${maxImages} times at most`
  for (const [index, name] of imageFields.entries()) {
    const describe = (fault: string) => `--image-field "${name}": ${fault}`
    if (name === '') return describe('expected the name of a field')
    if (imageFields.indexOf(name) < index) return describe('it is given twice')
    if (name === stateField) return describe('it is the --state-field')
    if (stateField !== undefined && name === stateTextMember)
      return describe('this is the name of the text of --state-field')
  }
  return undefined
}

const describeOutputFault = (flags: BatchFlags, output: OutputOptions | undefined) => {
  const { resume, overwrite } = flags
  if (output !== undefined && extname(output.path).toLowerCase() === '.csv')
    return `-o ${output.path}: batch writes JSON Lines, not a table: pass -o run.jsonl, and then svc select -i run.jsonl -o ${output.path}`
  if (resume && output === undefined) return '--resume needs --output'
  if (overwrite && resume) return '--overwrite cannot be combined with --resume'
  if (overwrite && output === undefined) return '--overwrite needs --output'
  return flags['retry-errors'] && !resume ? '--retry-errors needs --resume' : undefined
}

/** Describes the first fault of the flags about reuse, costs and the fields of rows. */
const describeRowFlagFault = (
  flags: BatchFlags,
  { format }: RowForm,
  price: TokenPrice | undefined,
) => {
  if (flags['reuse-where'].length > 0 && flags.reuse.length === 0)
    return '--reuse-where needs --reuse'
  if (flags['max-cost'] !== undefined && price === undefined) return '--max-cost needs --price'
  const singleFields = [flags['state-field'], flags['id-field'], flags['group-field']]
  const namesFields =
    singleFields.some((field) => field !== undefined) ||
    flags['image-field'].length > 0 ||
    flags.label.length > 0
  return format === 'lines' && namesFields
    ? 'rows that are lines have no fields: use JSONL or CSV'
    : undefined
}

/** The flags of a run in packs. */
export type PackFlags = Omit<PackingOptions, 'addLostUsage'>

/** Parses the flags of packs; `undefined` without `--pack`. Fails with a usage error if they do not fit the other flags. */
export const parsePackFlags = ({
  flags,
  isPassed,
}: Pick<BatchContext, 'flags' | 'isPassed'>): E.Either<Failure, PackFlags | undefined> => {
  const { pack: size, 'pack-check': checkRows } = flags
  if (size === undefined) {
    const passed = (['pack-check', 'max-flips'] as const).find(isPassed)
    return passed === undefined ? E.right(undefined) : E.left(usage(`--${passed} needs --pack`))
  }
  const conflicts = {
    '--permute': flags.permute !== undefined,
    '--repeat': flags.repeat !== undefined,
    '--image-field': flags['image-field'].length > 0,
  }
  for (const [flag, isGiven] of Object.entries(conflicts))
    if (isGiven) return E.left(usage(`--pack cannot be combined with ${flag}`))
  const maxFlips = parseMaxFlips(flags['max-flips'])
  return E.isLeft(maxFlips)
    ? maxFlips
    : E.right({ names: packFlagNames, size, checkRows, maxFlips: maxFlips.right })
}

/** Parses a percentage above 0 and below 100 as a share. */
const parseMaxFlips = (text: string): E.Either<Failure, number> => {
  const allowance = parseAllowance(text, '--max-flips')
  const percent = E.isRight(allowance) && 'percent' in allowance.right ? allowance.right.percent : 0
  return percent > 0 && percent < 100
    ? E.right(percent / 100)
    : E.left(usage(`--max-flips must be a percentage above 0% and below 100%, got ${text}`))
}

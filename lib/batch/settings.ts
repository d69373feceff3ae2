import { extname } from 'node:path'
import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../failure/failure'
import type { BatchFlags } from './flags'
import type { Format, Shard } from './rows'

/** What the flags decide, once checked. */
export interface Settings {
  readonly format: Format
  readonly shard: Shard | undefined
}

/** Checks the flags, each and together. Fails with a usage error. R3-R13, D51, D56 */
export const settings = (flags: BatchFlags): E.Either<Failure, Settings> => {
  const fault = emptyOf(flags) ?? unknown(flags) ?? together(flags)
  if (fault !== undefined) return E.left(usage(fault))
  const format = formats.find((one) => one === flags.format) ?? formatOf(flags.input)
  const shard = flags.shard === undefined ? undefined : shardOf(flags.shard)
  const { 'state-field': state, 'id-field': id, 'group-field': group, label } = flags
  const hasFields = [state, id, group, label[0]].some((field) => field !== undefined)
  if (format === 'lines' && hasFields)
    return E.left(usage('rows that are lines have no fields: use JSONL or CSV'))
  return E.right({ format, shard })
}

/** The values of `--format`. */
export const formats = ['jsonl', 'csv', 'lines'] as const

/** The format that the extension of a path stands for. R4 */
export const formatOf = (path: string): Format => {
  switch (extname(path).toLowerCase()) {
    case '.csv':
      return 'csv'
    case '.txt':
      return 'lines'
    default:
      return 'jsonl'
  }
}

const emptyOf = (flags: BatchFlags): string | undefined => {
  const name = (['file', 'input', 'output'] as const).find((each) => flags[each] === '')
  return name === undefined ? undefined : `--${name} must not be empty`
}

const unknown = ({ format, shard }: BatchFlags): string | undefined => {
  if (format !== undefined && !formats.some((one) => one === format))
    return `--format must be one of ${formats.join(', ')}, got ${format}`
  return shard === undefined || shardOf(shard) !== undefined
    ? undefined
    : `--shard must be <i>/<n> with i from 1 to n, got ${shard}`
}

const shardOf = (text: string): Shard | undefined => {
  const [, first, second] = /^(\d{1,9})\/(\d{1,9})$/.exec(text) ?? []
  const [number, of] = [Number(first), Number(second)]
  return number >= 1 && number <= of ? { number, of } : undefined
}

const together = (flags: BatchFlags): string | undefined => {
  const { file, output, resume } = flags
  const hasQuestions = flags.noul.length + flags.choice.length + flags.score.length > 0
  if (file !== undefined && hasQuestions)
    return '--file cannot be combined with --noul, --choice, or --score'
  if (file === undefined && !hasQuestions)
    return 'no questions given: pass --file, --noul, --choice, or --score'
  if (file === '-' && flags.input === '-')
    return '--file - needs the rows from a file: pass --input'
  if (resume && output === undefined) return '--resume needs --output'
  return flags['retry-errors'] && !resume ? '--retry-errors needs --resume' : undefined
}

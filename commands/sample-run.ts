import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { type Format, formatOf } from '../lib/batch/format'
import { pickRows } from '../lib/batch/pick-rows'
import type { Context, Run } from '../lib/cli/declaration'
import { type Failure, usage } from '../lib/failure/failure'
import { print } from '../lib/json/draft'
import type { Json } from '../lib/json/json'
import {
  type SampledRow,
  type SampleOptions,
  sampledDocument,
  sampling,
} from '../lib/measure/sample'
import type { Sampled } from '../lib/measure/sampler'
import { readRun } from '../lib/run/read'
import { sourceAt } from '../lib/run/source'
import type { SampleFlags } from './sample'

type SampleContext = Context<SampleFlags>

/** Runs `svc sample`: draws rows of a run for labelling. R25 */
export const run: Run<SampleFlags> = (context) => {
  const { runtime, flags } = context
  return pipe(
    TE.fromEither(optionsOf(flags)),
    TE.bindTo('options'),
    TE.bind('sample', ({ options }) => {
      const { add, finish } = sampling(options)
      return pipe(
        readRun(sourceAt(flags.input, runtime), (record) => {
          add(record)
          return undefined
        }),
        TE.map(finish),
      )
    }),
    TE.bind('rows', ({ options, sample }) => rowsOf(context, options.format, sample)),
    TE.map(({ sample, rows }) => {
      const lines = sample.map((one) =>
        print(sampledDocument(one, rows.get(one.item.index)), false),
      )
      return lines.length === 0 ? {} : { stdout: joined(lines) }
    }),
  )
}

/** Reads the rows of the input that were drawn; none without `--rows`. */
const rowsOf = (
  { runtime, flags: { rows: path } }: SampleContext,
  format: Format,
  sample: ReadonlyArray<Sampled<SampledRow>>,
): TE.TaskEither<Failure, ReadonlyMap<number, Json>> => {
  if (path === undefined) return TE.right(new Map())
  return pickRows({ path, format }, new Set(sample.map(({ item }) => item.index)), runtime)
}

const optionsOf = (
  flags: SampleContext['flags'],
): E.Either<Failure, SampleOptions & { readonly format: Format }> => {
  const { size, by, explore, seed, input, rows } = flags
  if (size === undefined) return E.left(usage('-n is required: how many rows to draw'))
  if (flags.format !== undefined && rows === undefined)
    return E.left(usage('--format needs --rows'))
  if (rows === '-' && input === '-')
    return E.left(usage('--rows - needs the run from a file: pass --input'))
  return E.right({ size, by, explore, seed, format: flags.format ?? formatOf(rows ?? '') })
}

/** Joins lines without a final newline. They stay bytes, so that records are written unchanged. D7 */
const joined = (lines: ReadonlyArray<Buffer>): Buffer =>
  Buffer.concat(lines.flatMap((line, i) => (i === 0 ? [line] : [newline, line])))

const newline = Buffer.from('\n')

import { extname } from 'node:path'
import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { CommandResult } from '../../lib/cli/command-result'
import type { ContextWith } from '../../lib/cli/declaration'
import { print } from '../../lib/codec/json/draft'
import type { JsonValue } from '../../lib/codec/json/json'
import { type Failure, usage } from '../../lib/failure/failure'
import { access, checkOutputs, filesOf, refuseFilled } from '../../lib/failure/named-files'
import type { LabelFlags } from '../../lib/measure/labels/flags'
import { readLabelFile } from '../../lib/measure/labels/label-file'
import { readLabelledRecords } from '../../lib/measure/labels/read-labelled'
import {
  describeSampled,
  describeWorth,
  SampleDraw,
  type SampledRow,
  type SampleOptions,
} from '../../lib/measure/sample/sample'
import { byteOrderMark, tabulateSample } from '../../lib/measure/sample/table'
import { openSource } from '../../lib/runs/record/source'
import { readRowsOfRecords } from '../../lib/runs/rows/find-rows'
import { findRowFault, type RowOptions } from '../../lib/runs/rows/form'

interface SampleFlags extends LabelFlags, RowOptions {
  readonly size: number | undefined
  readonly by: 'margin' | 'disagree'
  readonly for: 'review' | 'measure' | undefined
  readonly explore: number | undefined
  readonly seed: number
  readonly output: string | undefined
  readonly overwrite: boolean
  readonly 'no-bom': boolean
}

type SampleContext = ContextWith<SampleFlags>

type Rows = ReadonlyMap<number, JsonValue>

/** Runs `svc sample`: draws rows of a run for labelling. */
export const runSample = (context: SampleContext): TE.TaskEither<Failure, CommandResult> => {
  const { runtime, flags } = context
  const reads = filesOf(flags, 'input', 'rows', 'labels')
  return pipe(
    TE.fromEither(parseOptions(context)),
    TE.chainFirst(() => checkOutputs(runtime.files, reads, filesOf(flags, 'output'), 'sample')),
    TE.chainFirst(() => refuseOutput(context)),
    TE.chain((options) => drawSample(context, options)),
    TE.bindTo('sample'),
    TE.bind('rows', ({ sample }) => readRowsOfRecords(runtime, flags, sample)),
    TE.chainFirst(({ sample }) =>
      TE.fromTask(() => runtime.stderr.write(`${describeWorth(sample)}\n`)),
    ),
    TE.chain(({ sample, rows }) => writeSample(context, sample, rows)),
  )
}

const parseOptions = ({ flags }: SampleContext): E.Either<Failure, SampleOptions> => {
  const { size, by, explore, seed } = flags
  const purpose = flags.for
  if (size === undefined) return E.left(usage('-n is required: how many rows to draw'))
  if ((purpose === undefined) === (explore === undefined))
    return E.left(
      usage(
        purpose === undefined
          ? '--for is required: review, to look at unsure rows, or measure, to label rows for figures; or --explore'
          : '--for cannot be combined with --explore',
      ),
    )
  const fault = findRowFault(flags)
  if (fault !== undefined) return E.left(fault)
  return E.right({ size, by, explore: explore ?? (purpose === 'measure' ? 1 : 0.3), seed })
}

const refuseOutput = ({ runtime, flags }: SampleContext): TE.TaskEither<Failure, void> =>
  flags.overwrite
    ? TE.right(undefined)
    : refuseFilled(runtime.files, flags.output, "people's labels may be in it")

const drawSample = (
  { runtime, flags }: SampleContext,
  options: SampleOptions,
): TE.TaskEither<Failure, ReadonlyArray<SampledRow>> => {
  const draw = new SampleDraw(options)
  return pipe(
    readLabelFile(runtime, flags),
    TE.chain((labels) =>
      readLabelledRecords(openSource(flags.input, runtime), labels, (labelled) => {
        draw.add(labelled)
        return undefined
      }),
    ),
    TE.chainEitherK(() => {
      const sample = draw.finish()
      return sample === undefined
        ? E.left(usage('--by disagree needs a run with --repeat or --permute'))
        : E.right(sample)
    }),
  )
}

/** Writes the sample to stdout, or to the file of `--output`: as a table if that ends in `.csv`. */
const writeSample = (
  { runtime, flags }: SampleContext,
  sample: ReadonlyArray<SampledRow>,
  rows: Rows,
): TE.TaskEither<Failure, CommandResult> => {
  const { output } = flags
  const lines = sample.map((row) => print(describeSampled(row, rows.get(row.index)), false))
  if (output === undefined) return TE.right(lines.length === 0 ? {} : { stdout: joinLines(lines) })
  const content =
    extname(output).toLowerCase() === '.csv'
      ? `${flags['no-bom'] ? '' : byteOrderMark}${tabulateSample(sample, rows)}`
      : Buffer.concat(lines.flatMap((line) => [line, newline]))
  return pipe(
    access(`write sample ${output}`, () => runtime.files.replace(output, content)),
    TE.map(() => ({})),
  )
}

/** Joins lines without a final newline. They stay bytes, so that records are written unchanged. */
const joinLines = (lines: ReadonlyArray<Buffer>): Buffer =>
  Buffer.concat(lines.flatMap((line, i) => (i === 0 ? [line] : [newline, line])))

const newline = Buffer.from('\n')

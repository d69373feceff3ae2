import { extname } from 'node:path'
import * as E from 'fp-ts/Either'
import type { CommandOutcome } from '../../lib/cli/command-result'
import type { ContextWith } from '../../lib/cli/declaration'
import { print } from '../../lib/codec/json/draft'
import type { JsonValue } from '../../lib/codec/json/json'
import { type Failure, usage } from '../../lib/failure/failure'
import {
  checkOutputs,
  checkOverwrite,
  listNamedFiles,
  runFileOperation,
} from '../../lib/failure/named-files'
import { readLabelFile } from '../../lib/measure/labels/label-file'
import type { LabelFlags } from '../../lib/measure/labels/label-flags'
import { readLabelledRecords } from '../../lib/measure/rows/read-labelled-run'
import {
  describeWorth,
  SampleDraw,
  type SampledRow,
  type SampleOptions,
} from '../../lib/measure/sample/sample'
import {
  byteOrderMark,
  encodeSampledRow,
  tabulateSample,
} from '../../lib/measure/sample/sample-document'
import { openSource } from '../../lib/runs/record/lines'
import { readRowsOfRecords, writeRemark } from '../../lib/runs/rows/find-rows'
import { checkRowOptions, type RowOptions } from '../../lib/runs/rows/form'
import { describeBrokenTexts } from '../../lib/runs/tables/guards'

/** The flags of `svc sample`. */
interface SampleFlags extends LabelFlags, RowOptions {
  readonly size: number | undefined
  /** The measure of how uncertain a row is: a small lead of its largest probability, or repetitions and label orders that disagree. */
  readonly by: 'margin' | 'disagree'
  readonly for: 'review' | 'measure' | undefined
  /** The share of rows to draw at random. The others are the most uncertain ones. */
  readonly explore: number | undefined
  readonly seed: number
  readonly output: string | undefined
  readonly overwrite: boolean
  readonly 'no-bom': boolean
}

type SampleContext = ContextWith<SampleFlags>

/** The rows of the run's input, by index; empty without `--rows`. */
type InputRows = ReadonlyMap<number, JsonValue>

/**
 * Runs `svc sample`: draws rows of a run for people to label, which means to give the right answers. A run is the file of records that
 * `svc batch` wrote, one for each row.
 */
export const runSample = async (context: SampleContext): Promise<CommandOutcome> => {
  const { runtime, flags } = context
  const options = parseOptions(flags)
  if (E.isLeft(options)) return options
  const checked = await checkFiles(context)
  if (E.isLeft(checked)) return checked
  const sample = await drawSample(context, options.right)
  if (E.isLeft(sample)) return sample
  const inputRows = await readRowsOfRecords(runtime, flags, sample.right)()
  if (E.isLeft(inputRows)) return inputRows
  await runtime.stderr.write(`${describeWorth(sample.right)}\n`)
  return writeSample(context, sample.right, inputRows.right)
}

/** The share of rows that `--for review` draws at random. The others are the most uncertain ones. */
const reviewRandomShare = 0.3

const parseOptions = (flags: SampleFlags): E.Either<Failure, SampleOptions> => {
  const { size, by, for: purpose, explore, seed } = flags
  if (size === undefined) return E.left(usage('-n is required: how many rows to draw'))
  if (purpose !== undefined && explore !== undefined)
    return E.left(usage('--for cannot be combined with --explore'))
  if (purpose === undefined && explore === undefined)
    return E.left(
      usage(
        '--for is required: measure to label rows for figures, or review to look at uncertain rows (or --explore)',
      ),
    )
  const rowFault = checkRowOptions(flags)
  if (rowFault !== undefined) return E.left(rowFault)
  // For figures of the whole run, every row must be drawn by chance.
  const purposeShare = purpose === 'measure' ? 1 : reviewRandomShare
  return E.right({ size, by, randomShare: explore ?? purposeShare, seed })
}

/**
 * Fails if the sample cannot be written, if it would replace an input, or if it would replace a file that is not empty without
 * `--overwrite`.
 */
const checkFiles = async ({
  runtime,
  flags,
}: SampleContext): Promise<E.Either<Failure, unknown>> => {
  const filesRead = listNamedFiles(flags, 'input', 'rows', 'labels')
  const output = listNamedFiles(flags, 'output')
  const writable = await checkOutputs(runtime.files, filesRead, output, 'sample')()
  return E.isLeft(writable) ? writable : checkOverwrite(runtime.files, flags)()
}

const drawSample = async (
  { runtime, flags }: SampleContext,
  options: SampleOptions,
): Promise<E.Either<Failure, ReadonlyArray<SampledRow>>> => {
  const labels = await readLabelFile(runtime, flags)
  if (E.isLeft(labels)) return labels
  const draw = new SampleDraw(options)
  const source = openSource(flags.input, runtime)
  const read = await readLabelledRecords(source, labels.right, (labelled) => {
    draw.add(labelled)
    return undefined
  })
  if (E.isLeft(read)) return read
  const sample = draw.finish()
  return sample === undefined
    ? E.left(usage('--by disagree needs a run with --repeat or --permute'))
    : E.right(sample)
}

const newline = Buffer.from('\n')

/** Writes the sample to stdout or to the file of `--output`. It is a table if the file's name ends in `.csv`, otherwise JSONL. */
const writeSample = async (
  { runtime, flags }: SampleContext,
  sample: ReadonlyArray<SampledRow>,
  inputRows: InputRows,
): Promise<CommandOutcome> => {
  const { output } = flags
  const lines = sample.map((row) => print(encodeSampledRow(row, inputRows.get(row.index)), false))
  if (output === undefined) return E.right(lines.length === 0 ? {} : { stdout: joinLines(lines) })
  const isTable = extname(output).toLowerCase() === '.csv'
  const tableStart = flags['no-bom'] ? '' : byteOrderMark
  const table = isTable ? tabulateSample(sample, inputRows) : undefined
  const content =
    table === undefined
      ? Buffer.concat(lines.flatMap((line) => [line, newline]))
      : tableStart + table.text
  const written = await runFileOperation(`write sample ${output}`, () =>
    runtime.files.replace(output, content),
  )()
  if (E.isLeft(written)) return written
  await writeRemark(runtime.stderr, describeBrokenTexts('sample', table?.brokenTexts ?? 0))
  return E.right({})
}

/** Joins lines without a final newline. They stay bytes, because svc escapes characters in the texts that it prints. */
const joinLines = (lines: ReadonlyArray<Buffer>): Buffer =>
  Buffer.concat(lines.flatMap((line, index) => (index === 0 ? [line] : [newline, line])))

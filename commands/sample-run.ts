import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Context, Run } from '../lib/cli/declaration'
import { type Failure, usage } from '../lib/failure/failure'
import { print } from '../lib/json/draft'
import { type SampleOptions, sampledDocument, sampling } from '../lib/measure/sample'
import { readRun } from '../lib/run/read'
import { runSource } from '../lib/run/source'
import type { SampleFlags } from './sample'

/** Draws rows of a run to be labelled. R25 */
export const run: Run<SampleFlags> = ({ runtime, flags }) =>
  pipe(
    E.Do,
    E.bind('options', () => optionsOf(flags)),
    E.bind('source', () => runSource(flags.input, runtime)),
    TE.fromEither,
    TE.chain(({ options, source }) => {
      const { add, finish } = sampling(options)
      return pipe(
        readRun(source, (record) => {
          add(record)
          return undefined
        }),
        TE.map(finish),
      )
    }),
    TE.map((rows) => {
      const lines = rows.map((row) => print(sampledDocument(row, undefined), false))
      return lines.length === 0 ? {} : { stdout: joined(lines) }
    }),
  )

const optionsOf = (flags: Context<SampleFlags>['flags']): E.Either<Failure, SampleOptions> => {
  const { size, explore, seed } = flags
  const by = (['margin', 'disagree'] as const).find((name) => name === flags.by)
  if (size === undefined) return E.left(usage('-n is required: how many rows to draw'))
  if (by === undefined) return E.left(usage(`--by must be margin or disagree, got ${flags.by}`))
  return E.right({ size, by, explore, seed })
}

/** Lines without the last one's end, as bytes: what a record holds is written as it is. D7 */
const joined = (lines: ReadonlyArray<Buffer>): Buffer =>
  Buffer.concat(lines.flatMap((line, i) => (i === 0 ? [line] : [newline, line])))

const newline = Buffer.from('\n')

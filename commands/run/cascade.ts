import * as E from 'fp-ts/Either'
import type { CommandOutcome } from '../../lib/cli/command-result'
import type { ContextWith } from '../../lib/cli/declaration'
import { print } from '../../lib/codec/json/draft'
import { type Failure, usage } from '../../lib/failure/failure'
import { checkOverwrite, listNamedFiles, runFileOperation } from '../../lib/failure/named-files'
import {
  encodeCascade,
  encodeCascadePolicy,
  tabulateCascade,
} from '../../lib/measure/cascade/cascade-document'
import { CascadePairing, type CascadePairs } from '../../lib/measure/cascade/cascade-pairs'
import {
  type Cascade,
  type CascadePrices,
  measureCascade,
} from '../../lib/measure/cascade/measure-cascade'
import type { LabelFlags } from '../../lib/measure/labels/label-flags'
import { formatCascadePage } from '../../lib/measure/page/cascade-page'
import { savePage } from '../../lib/measure/page/html-document'
import { type InputRuns, openInputRuns, readInputRuns } from '../../lib/measure/rows/input-runs'
import { parsePrice } from '../../lib/runs/batch/cost'
import { sanitize } from '../../lib/text/sanitize'

import { chooseTextLayout } from '../../lib/text/terminal'

/** The options of `svc cascade`. */
interface CascadeOptions extends LabelFlags {
  /** The accuracy that may be lost, such as 0.02. */
  readonly margin: number | undefined
  /** The required confidence that no more accuracy is lost, such as 0.95. */
  readonly confidence: number
  readonly 'price-a': string | undefined
  readonly 'price-b': string | undefined
  readonly table: boolean
  readonly html: string | undefined
  readonly output: string | undefined
  readonly overwrite: boolean
}

type CascadeContext = ContextWith<CascadeOptions>

/**
 * Runs `svc cascade`: finds out which answers of a cheap model (run a) may replace those of an expensive model (run b). A run is the
 * file of records that `svc batch` wrote, one for each row.
 */
export const runCascade = async (context: CascadeContext): Promise<CommandOutcome> => {
  const { flags } = context
  const { margin, confidence } = flags
  if (margin === undefined)
    return E.left(usage('--margin is required: how much accuracy may be lost, such as 0.02'))
  const prices = parsePrices(flags)
  if (E.isLeft(prices)) return prices
  const runs = await openRuns(context)
  if (E.isLeft(runs)) return runs
  const pairs = await pairRuns(context, runs.right)
  if (E.isLeft(pairs)) return pairs
  const cascade = measureCascade(pairs.right, { margin, confidence }, prices.right)
  const policy = encodeCascadePolicy(cascade, pairs.right)
  const writtenPolicy = await writePolicy(context, print(policy, false))
  if (E.isLeft(writtenPolicy)) return writtenPolicy
  const writtenPage = await writeCascadePage(context, runs.right, cascade, margin)
  if (E.isLeft(writtenPage)) return writtenPage
  const { stdout, env } = context.runtime
  return E.right({
    stdout: flags.table
      ? { report: tabulateCascade(cascade, chooseTextLayout(stdout, env)) }
      : { document: encodeCascade(cascade) },
  })
}

/** Parses the prices of both models. Fails if only one of them is passed. */
const parsePrices = (flags: CascadeOptions): E.Either<Failure, CascadePrices | undefined> => {
  const a = parsePrice(flags['price-a'], '--price-a')
  if (E.isLeft(a)) return a
  const b = parsePrice(flags['price-b'], '--price-b')
  if (E.isLeft(b)) return b
  if (a.right === undefined && b.right === undefined) return E.right(undefined)
  if (a.right === undefined) return E.left(usage('--price-b needs --price-a'))
  if (b.right === undefined) return E.left(usage('--price-a needs --price-b'))
  return E.right({ cheap: a.right, expensive: b.right })
}

/** Opens both runs. Fails if an output would replace an input, or a file that is not empty without `--overwrite`. */
const openRuns = async ({
  runtime,
  flags,
  args,
}: CascadeContext): Promise<E.Either<Failure, InputRuns>> => {
  const filesWritten = listNamedFiles(flags, 'output', 'html')
  const runs = await openInputRuns(runtime, args, flags, filesWritten)
  if (E.isLeft(runs)) return runs
  const replaceable = await checkOverwrite(runtime.files, flags)()
  return E.isLeft(replaceable) ? replaceable : runs
}

/**
 * Reads both runs, and pairs the answers to the same questions about the same states. Fails if there are no pairs, or if run a
 * has answers to several sets of questions.
 */
const pairRuns = async (
  { runtime, flags }: CascadeContext,
  runs: InputRuns,
): Promise<E.Either<Failure, CascadePairs>> => {
  const pairing = new CascadePairing()
  const read = await readInputRuns(runtime, runs, flags, () => ({
    visitA: (labelled) => pairing.addCheap(labelled),
    visitB: ({ record }) => pairing.addExpensive(record),
  }))
  if (E.isLeft(read)) return read
  const pairs = pairing.finish()
  const { a, b } = runs
  // `usages` has an entry for each pair of rows.
  if (pairs.usages.length === 0) {
    const reason = `no row of ${a.name} was answered with the same state and questions in ${b.name}`
    return E.left(usage(`cascade: ${reason}`))
  }
  if (pairs.questionsSha256.size > 1)
    return E.left(usage(`cascade: ${a.name} has answers to several sets of questions`))
  return E.right(pairs)
}

/** Writes the page to the file of `--html`, and the path of the file to stderr. Does nothing without the flag. */
const writeCascadePage = async (
  { runtime, flags, build, redact }: CascadeContext,
  { a, b }: InputRuns,
  cascade: Cascade,
  margin: number,
): Promise<E.Either<Failure, void>> => {
  const { html, labels, confidence } = flags
  const { version } = build
  const origin = { a: a.name, b: b.name, labels, margin, confidence, version }
  const saved = await savePage(runtime, html, () => formatCascadePage(cascade, origin), redact)
  if (E.isRight(saved) && html !== undefined)
    await runtime.stderr.write(`cascade: the page is ${sanitize(redact(html))}\n`)
  return saved
}

/** Writes the policy to the file of `--output`. Does nothing without the flag. */
const writePolicy = async (
  { runtime, flags }: CascadeContext,
  policy: Buffer,
): Promise<E.Either<Failure, void>> => {
  const { output } = flags
  if (output === undefined) return E.right(undefined)
  const content = Buffer.concat([policy, Buffer.from('\n')])
  return runFileOperation(`write policy ${output}`, () => runtime.files.replace(output, content))()
}

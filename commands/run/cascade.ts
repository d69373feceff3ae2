import * as E from 'fp-ts/Either'
import type { CommandResult } from '../../lib/cli/command-result'
import type { ContextWith } from '../../lib/cli/declaration'
import { print } from '../../lib/codec/json/draft'
import { type Failure, usage } from '../../lib/failure/failure'
import {
  access,
  checkDistinctFiles,
  listNamedFiles,
  refuseFilled,
} from '../../lib/failure/named-files'
import { sanitize } from '../../lib/failure/text/harmless'
import {
  describeCascade,
  describeCascadePolicy,
  tabulateCascade,
} from '../../lib/measure/cascade/cascade-document'
import { type CascadePairs, createCascadePairing } from '../../lib/measure/cascade/cascade-pairs'
import {
  type Cascade,
  type CascadePrices,
  measureCascade,
} from '../../lib/measure/cascade/measure-cascade'
import type { LabelFlags } from '../../lib/measure/labels/flags'
import { readLabelFile } from '../../lib/measure/labels/label-file'
import { readLabelledRecords } from '../../lib/measure/labels/read-labelled'
import { writeCascadePage } from '../../lib/measure/page/cascade-page'
import { savePage } from '../../lib/measure/page/outputs'
import { parsePrice } from '../../lib/runs/batch/cost'
import { openSource } from '../../lib/runs/record/source'

/** The options of `svc cascade`. */
interface CascadeOptions extends LabelFlags {
  readonly margin: number | undefined
  readonly confidence: number
  readonly 'price-a': string | undefined
  readonly 'price-b': string | undefined
  readonly table: boolean
  readonly html: string | undefined
  readonly output: string | undefined
  readonly overwrite: boolean
}

type CascadeContext = ContextWith<CascadeOptions>

/** Runs `svc cascade`: finds the answers of a cheap run that may replace those of an expensive one. */
export const runCascade =
  (context: CascadeContext) => async (): Promise<E.Either<Failure, CommandResult>> => {
    const { flags, args } = context
    const [a = '', b = ''] = args
    const { margin, confidence } = flags
    if (margin === undefined)
      return E.left(usage('--margin is required: how much accuracy may be lost, such as 0.02'))
    const prices = parsePrices(flags)
    if (E.isLeft(prices)) return prices
    const checked = await checkFiles(context, a, b)
    if (E.isLeft(checked)) return checked
    const pairs = await pairRuns(context, a, b)
    if (E.isLeft(pairs)) return pairs
    const cascade = measureCascade(pairs.right, { margin, confidence }, prices.right)
    const policy = describeCascadePolicy(cascade, pairs.right)
    const written = await writePolicy(context, print(policy, false))
    if (E.isLeft(written)) return written
    const drawn = await writeCascadeFile(context, cascade, margin)
    if (E.isLeft(drawn)) return drawn
    return E.right({
      stdout: flags.table
        ? tabulateCascade(cascade, margin)
        : { document: describeCascade(cascade) },
    })
  }

const parsePrices = (flags: CascadeOptions): E.Either<Failure, CascadePrices | undefined> => {
  const a = parsePrice(flags['price-a'], '--price-a')
  if (E.isLeft(a)) return a
  const b = parsePrice(flags['price-b'], '--price-b')
  if (E.isLeft(b)) return b
  if (a.right === undefined && b.right === undefined) return E.right(undefined)
  if (a.right === undefined) return E.left(usage('--price-b needs --price-a'))
  if (b.right === undefined) return E.left(usage('--price-a needs --price-b'))
  return E.right({ a: a.right, b: b.right })
}

/** Checks that the runs have paths, and that the outputs replace neither an input nor a policy that is in use. */
const checkFiles = async (
  { runtime, flags }: CascadeContext,
  a: string,
  b: string,
): Promise<E.Either<Failure, void>> => {
  if (a === '-' && b === '-') return E.left(usage('only one of the runs can be read from stdin'))
  if (a === '' || b === '')
    return E.left(usage(`the path of ${a === '' ? 'a' : 'b'} must not be empty`))
  const reads = [{ name: 'a', path: a }, { name: 'b', path: b }, ...listNamedFiles(flags, 'labels')]
  const writes = listNamedFiles(flags, 'output', 'html')
  const distinct = await checkDistinctFiles(runtime.files, reads, writes)()
  if (E.isLeft(distinct) || flags.overwrite) return distinct
  return refuseFilled(runtime.files, flags.output, 'programs may use it')()
}

const pairRuns = async (
  { runtime, flags }: CascadeContext,
  a: string,
  b: string,
): Promise<E.Either<Failure, CascadePairs>> => {
  const labels = await readLabelFile(runtime, flags)()
  if (E.isLeft(labels)) return labels
  const { addA, addB, finish } = createCascadePairing()
  const sourceA = openSource(a, runtime)
  const sourceB = openSource(b, runtime)
  const readB = await readLabelledRecords(sourceB, undefined, ({ record }) => addB(record))()
  if (E.isLeft(readB)) return readB
  const readA = await readLabelledRecords(sourceA, labels.right, addA)()
  if (E.isLeft(readA)) return readA
  const pairs = finish()
  if (pairs.tokens.length === 0)
    return E.left(
      usage(
        `cascade: no row of ${sourceA.name} was answered with the same state and questions in ${sourceB.name}`,
      ),
    )
  return pairs.questionsSha256.size > 1
    ? E.left(usage(`cascade: ${sourceA.name} holds answers to several sets of questions`))
    : E.right(pairs)
}

/** Writes the page of `--html`, and its path to stderr. */
const writeCascadeFile = async (
  { runtime, flags, args, build, redact }: CascadeContext,
  cascade: Cascade,
  margin: number,
): Promise<E.Either<Failure, void>> => {
  const { html, labels, confidence } = flags
  const [a = '', b = ''] = args.map((path) => openSource(path, runtime).name)
  const origin = { a, b, labels, margin, confidence, version: build.version }
  const saved = await savePage(runtime, html, () => writeCascadePage(cascade, origin), redact)()
  if (E.isRight(saved) && html !== undefined)
    await runtime.stderr.write(`cascade: the page is ${sanitize(redact(html))}\n`)
  return saved
}

const writePolicy = async (
  { runtime, flags: { output } }: CascadeContext,
  policy: Buffer,
): Promise<E.Either<Failure, void>> =>
  output === undefined
    ? E.right(undefined)
    : access(`write policy ${output}`, () =>
        runtime.files.replace(output, Buffer.concat([policy, Buffer.from('\n')])),
      )()

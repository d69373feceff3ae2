import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRandom, type Random, shuffleNumbers } from '../../lib/runtime/random'
import { runMain } from '../main/run-main'
import { createChoice, createNoul, createScore } from './runs'

const test = suite('measure: the order of rows')

/** The kinds of rows of a run. */
interface RunShape {
  readonly title: string
  /** The number of groups; 0 for a run without groups. */
  readonly groupCount: number
  /** `true` if rows have different chances of having been drawn, and so different weights. */
  readonly isWeighted: boolean
}

const shapes: ReadonlyArray<RunShape> = [
  { title: 'rows without groups', groupCount: 0, isWeighted: false },
  { title: 'rows in groups', groupCount: 60, isWeighted: false },
  { title: 'rows with weights', groupCount: 0, isWeighted: true },
]

const rowCount = 400

const tones = ['calm', 'neutral', 'angry']

const refusal = { type: 'refusal', refusal: 'no' }

/** Draws probabilities with two decimals, which prefer the item at the index `preferred`. */
const drawProbabilities = (random: Random, count: number, preferred: number): number[] => {
  const weights = Array.from(
    { length: count },
    (_, i) => random.nextFloat() + (i === preferred ? 1.5 : 0.1),
  )
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map((weight) => Number((weight / total).toFixed(2)))
}

/** Draws the answers of a model. `isPrecise` answers are more often right. One in eight is a refusal. */
const drawAnswers = (random: Random, labels: RowLabels, isPrecise: boolean) => {
  const guess = (right: number, count: number): number =>
    random.nextFloat() < (isPrecise ? 0.95 : 0.8) ? right : random.nextInt(count)
  const drawOrRefuse = <A>(answer: A): A | typeof refusal =>
    random.nextInt(8) === 0 ? refusal : answer
  const [, yes = 0] = drawProbabilities(random, 2, guess(Number(labels.billing), 2))
  const tone = drawProbabilities(random, 3, guess(tones.indexOf(labels.tone), 3))
  const namedTone = Object.fromEntries(tones.map((name, i) => [name, tone[i] as number]))
  return {
    billing: drawOrRefuse(createNoul(yes)),
    tone: drawOrRefuse(createChoice(namedTone)),
    urgency: drawOrRefuse(createScore(...drawProbabilities(random, 3, guess(labels.urgency, 3)))),
  }
}

interface RowLabels {
  readonly billing: boolean
  readonly tone: string
  readonly urgency: number
}

const drawLabels = (random: Random): RowLabels => ({
  billing: random.nextFloat() < 0.3,
  tone: tones[random.nextInt(3)] as string,
  urgency: random.nextInt(3),
})

/** Draws the lines of a run, and those of another run over the same rows. */
const drawRuns = ({ groupCount, isWeighted }: RunShape, seed: number) => {
  const random = createRandom(seed)
  const a: string[] = []
  const b: string[] = []
  for (let index = 0; index < rowCount; index++) {
    const labels = drawLabels(random)
    const isLabelled = random.nextFloat() < 0.8
    const row = {
      index,
      ...(groupCount > 0 && { group: `g${random.nextInt(groupCount)}` }),
      ...(isLabelled && { labels, ...(isWeighted && { p: index % 2 === 0 ? 1 : 0.9 }) }),
      state_sha256: index.toString(16).padStart(64, '0'),
      questions_sha256: '0'.repeat(64),
    }
    const usage = { input_tokens: random.nextInt(100), output_tokens: random.nextInt(9) }
    const hasFailed = random.nextInt(20) === 0
    const outcome = hasFailed
      ? { error: { kind: 'server', message: 'down' } }
      : { model: 'small', answers: drawAnswers(random, labels, false), usage }
    a.push(JSON.stringify({ ...row, ...outcome }))
    const answers = drawAnswers(random, labels, true)
    b.push(JSON.stringify({ ...row, model: 'large', answers, usage }))
  }
  return { a, b }
}

/** Shuffles lines. Then moves the refusals of `billing` to the front, if `refusalsFirst` is true, or else to the end. */
const shuffleLines = (
  lines: ReadonlyArray<string>,
  random: Random,
  refusalsFirst: boolean,
): ReadonlyArray<string> => {
  const shuffled = Array.from(shuffleNumbers(lines.length, random), (i) => lines[i] as string)
  const isRefusal = (line: string): boolean => line.includes('"billing":{"type":"refusal"')
  const refusals = shuffled.filter(isRefusal)
  const others = shuffled.filter((line) => !isRefusal(line))
  return refusalsFirst ? [...refusals, ...others] : [...others, ...refusals]
}

/** The commands whose figures must not depend on the order of rows. The runs are a.jsonl and b.jsonl. */
const commandLines = [
  'eval a.jsonl',
  'calibrate a.jsonl --target accuracy=0.8',
  'calibrate a.jsonl --target billing:recall=0.8 --target coverage=0.5 --method none',
  'share a.jsonl',
  'share a.jsonl --plan --within 0.05',
  'compare a.jsonl b.jsonl --max-flips 100%',
  'cascade a.jsonl b.jsonl --margin 0.1 --price-a 1/2 --price-b 10/20',
  'gate a.jsonl --require billing.noul>=0.5 --allow 100%',
]

/** The members that list rows by index, and so in the order of the run. */
const listsOfRows = new Set(['flips', 'rows_failed'])

/** Rounds numbers to nine digits, because sums in another order differ by rounding errors. Sorts members, and leaves out lists of rows. */
const normalize = (value: unknown): unknown => {
  if (typeof value === 'number') return Number(value.toPrecision(9))
  if (Array.isArray(value)) return value.map(normalize)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([name]) => !listsOfRows.has(name))
  return Object.fromEntries(
    members.sort().map(([name, member]) => [name, normalize(member)] as const),
  )
}

const measure = async (commandLine: string, a: ReadonlyArray<string>, b: ReadonlyArray<string>) => {
  const files = { 'a.jsonl': a.join('\n'), 'b.jsonl': b.join('\n') }
  const { stdout, stderr } = await runMain({ argv: commandLine.split(' '), files })
  const document = JSON.parse(stdout)
  assert.is(document.error, undefined, `${commandLine}: ${stderr}`)
  return normalize(document)
}

for (const shape of shapes)
  for (const commandLine of commandLines) {
    // `p` says that labelled rows were drawn. A run in which they represent other rows has no groups here.
    test(`svc ${commandLine}: ${shape.title}: every figure is the same in any order`, async () => {
      const { a, b } = drawRuns(shape, 1)
      const expected = await measure(commandLine, a, b)
      const random = createRandom(2)
      for (const refusalsFirst of [true, false]) {
        const shuffledA = shuffleLines(a, random, refusalsFirst)
        const shuffledB = shuffleLines(b, random, !refusalsFirst)
        assert.equal(await measure(commandLine, shuffledA, shuffledB), expected)
      }
    })
  }

test.run()

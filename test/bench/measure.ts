import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { createTemporaryFolder } from '../support/folders'

/** A program to run: the command line, and its arguments. */
export interface Subject {
  readonly name: string
  readonly command: string
  readonly args: ReadonlyArray<string>
}

/** A home of its own, where the program finds the compiled code that its first run left. */
const home = createTemporaryFolder()

const env = (baseUrl: string): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: home,
  SERVICE_API_KEY: 'k',
  SERVICE_BASE_URL: baseUrl,
})

const seconds = (subject: Subject, baseUrl: string): Promise<number> =>
  new Promise((done, failed) => {
    const started = performance.now()
    const options = { env: env(baseUrl), stdio: 'ignore' } as const
    const child = spawn(subject.command, subject.args, options)
    child.on('error', failed)
    child.on('exit', (code) => {
      if (code === 0) done((performance.now() - started) / 1000)
      else failed(new Error(`${subject.name} ended with ${code}`))
    })
  })

/** Runs a Node program to its end; resolves with its peak memory. `preload` reports it. */
export const peakMiB = async (
  subject: Subject,
  baseUrl: string,
  preload: string,
): Promise<number> => {
  const child = spawn(subject.command, ['--require', preload, ...subject.args], {
    env: env(baseUrl),
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const report = child.stdio[3]
  return report && 'on' in report ? Number(await text(report as NodeJS.ReadableStream)) / 1024 : 0
}

/** The middle value. */
export const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (index: number): number => sorted[index] ?? Number.NaN
  const half = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? at(half) : (at(half - 1) + at(half)) / 2
}

/** The median of what each round took in relation to the same round of another. */
export const medianRatio = (rounds: ReadonlyArray<number>, others: ReadonlyArray<number>): number =>
  median(rounds.map((value, round) => value / (others[round] ?? Number.NaN)))

const print = (
  unit: string,
  scale: number,
  subjects: ReadonlyArray<Subject>,
  values: ReadonlyArray<ReadonlyArray<number>>,
): void => {
  const [ours = [], ...others] = values
  const shown = (value: number): string => `${(value * scale).toFixed(1)} ${unit}`
  console.log(`  ${(subjects[0]?.name ?? '').padEnd(34)} ${shown(median(ours)).padStart(11)}`)
  for (const [index, theirs] of others.entries()) {
    const ratio = medianRatio(ours, theirs)
    const name = (subjects[index + 1]?.name ?? '').padEnd(34)
    console.log(`  ${name} ${shown(median(theirs)).padStart(11)}   ratio ${ratio.toFixed(2)}`)
  }
}

/**
 * Runs the subjects in turn, A B A B, so that a slow moment hits all alike, and prints medians and
 * the median of the first one's ratio to each other one.
 */
export const compare = async (
  title: string,
  rounds: number,
  baseUrl: string,
  subjects: ReadonlyArray<Subject>,
): Promise<void> => {
  console.log(`\n${title} (${rounds} rounds)`)
  const values = subjects.map(() => [] as number[])
  for (const subject of subjects) await seconds(subject, baseUrl)
  for (let round = 0; round < rounds; round++)
    for (const [index, subject] of subjects.entries())
      values[index]?.push(await seconds(subject, baseUrl))
  print('ms', 1000, subjects, values)
}

/** The same for peak memory, of Node programs only. */
export const compareMemory = async (
  title: string,
  rounds: number,
  baseUrl: string,
  preload: string,
  subjects: ReadonlyArray<Subject>,
): Promise<void> => {
  console.log(`\n${title} (${rounds} rounds)`)
  const values = subjects.map(() => [] as number[])
  for (let round = 0; round < rounds; round++)
    for (const [index, subject] of subjects.entries())
      values[index]?.push(await peakMiB(subject, baseUrl, preload))
  print('MiB', 1, subjects, values)
}

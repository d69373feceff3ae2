import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { createTemporaryFolder } from '../support/folders'

/** A program to measure. */
export interface Subject {
  readonly name: string
  readonly command: string
  readonly args: ReadonlyArray<string>
}

/** All runs share this home folder, so that later runs find the compiled code that the first run caches. */
const home = createTemporaryFolder()

const createEnv = (baseUrl: string): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: home,
  SERVICE_API_KEY: 'k',
  SERVICE_BASE_URL: baseUrl,
})

/** Runs a program. Resolves to its duration in milliseconds. Rejects if the program fails. */
const measureMs = (subject: Subject, baseUrl: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const startMs = performance.now()
    const options = { env: createEnv(baseUrl), stdio: 'ignore' } as const
    const child = spawn(subject.command, subject.args, options)
    child.on('error', reject)
    child.on('exit', (code) => {
      if (code === 0) resolve(performance.now() - startMs)
      else reject(new Error(`${subject.name} ended with ${code}`))
    })
  })

/** Runs a Node program. Resolves to its peak memory in MiB, which the module `memoryReporter` reports. Ignores the exit code. */
export const measurePeakMiB = async (
  subject: Subject,
  baseUrl: string,
  memoryReporter: string,
): Promise<number> => {
  const child = spawn(subject.command, ['--require', memoryReporter, ...subject.args], {
    env: createEnv(baseUrl),
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  // The reporter writes a number of KiB to the file descriptor 3.
  const report = child.stdio[3] as NodeJS.ReadableStream
  return Number(await text(report)) / 1024
}

/** Returns the median; NaN without values. */
export const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const half = Math.floor(sorted.length / 2)
  const upper = sorted[half] ?? Number.NaN
  if (sorted.length % 2 === 1) return upper
  const lower = sorted[half - 1] ?? Number.NaN
  return (lower + upper) / 2
}

/** Divides each value by the other value of the same round. Returns the median of the ratios. A missing value makes it NaN. */
export const medianRatio = (
  values: ReadonlyArray<number>,
  otherValues: ReadonlyArray<number>,
): number => median(values.map((value, round) => value / (otherValues[round] ?? Number.NaN)))

/** Returns the values of each subject, one for each round. The subjects take turns, so a slow moment of the machine affects all of them. */
const measureRounds = async (
  rounds: number,
  subjects: ReadonlyArray<Subject>,
  measure: (subject: Subject) => Promise<number>,
): Promise<ReadonlyArray<ReadonlyArray<number>>> => {
  const valuesBySubject = subjects.map(() => [] as number[])
  for (let round = 0; round < rounds; round++)
    for (const [index, subject] of subjects.entries())
      valuesBySubject[index]?.push(await measure(subject))
  return valuesBySubject
}

/** Prints the median of each subject, and for all but the first, the median of the first one's ratio to it. */
const printMedians = (
  unit: string,
  subjects: ReadonlyArray<Subject>,
  valuesBySubject: ReadonlyArray<ReadonlyArray<number>>,
): void => {
  const [firstValues = []] = valuesBySubject
  for (const [index, subject] of subjects.entries()) {
    const subjectValues = valuesBySubject[index] ?? []
    const formatted = `${median(subjectValues).toFixed(1)} ${unit}`.padStart(11)
    const ratio = medianRatio(firstValues, subjectValues).toFixed(2)
    const suffix = index === 0 ? '' : `   ratio ${ratio}`
    console.log(`  ${subject.name.padEnd(34)} ${formatted}${suffix}`)
  }
}

/** Programs to compare, and how to measure them. */
export interface Comparison {
  readonly title: string
  readonly rounds: number
  /** The address of the service that the programs call. */
  readonly baseUrl: string
  readonly subjects: ReadonlyArray<Subject>
}

/** Prints the time of each subject, and for all but the first one, how many times as long the first one takes. */
export const compareTimes = async (comparison: Comparison): Promise<void> => {
  const { title, rounds, baseUrl, subjects } = comparison
  console.log(`\n${title} (${rounds} rounds)`)
  // The first run, which fills the caches, is not measured.
  for (const subject of subjects) await measureMs(subject, baseUrl)
  const valuesBySubject = await measureRounds(rounds, subjects, (subject) =>
    measureMs(subject, baseUrl),
  )
  printMedians('ms', subjects, valuesBySubject)
}

/**
 * Prints the peak memory of each subject, which must be a Node program. For all but the first subject, also prints how many times as much
 * the first one needs.
 */
export const compareMemory = async (
  comparison: Comparison,
  memoryReporter: string,
): Promise<void> => {
  const { title, rounds, baseUrl, subjects } = comparison
  console.log(`\n${title} (${rounds} rounds)`)
  const valuesBySubject = await measureRounds(rounds, subjects, (subject) =>
    measurePeakMiB(subject, baseUrl, memoryReporter),
  )
  printMedians('MiB', subjects, valuesBySubject)
}

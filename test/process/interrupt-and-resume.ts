import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { createRandom } from '../../lib/runtime/random'
import {
  type ProgramResult,
  type RunningProgram,
  startProgram,
  workingFolder,
} from '../support/program'
import { type RowService, startRowService } from './row-service'

const rowCount = 150
const concurrency = 4

/** The maximum number of asked rows without a record. For each concurrent request, a run holds at most 4 rows before it writes them. */
export const maxUnrecordedRows = 4 * concurrency

/** A run gets its signal once it has asked a random number of rows, at most this one. */
const maxRowsBeforeSignal = 60

const pathInFolder = (name: string): string => join(workingFolder, name)

/** Counts the complete lines of `run.jsonl`. Returns 0 if the file does not exist. */
const countRecords = (): number =>
  existsSync(pathInFolder('run.jsonl'))
    ? readFileSync(pathInFolder('run.jsonl'), 'utf8').split('\n').length - 1
    : 0

/** Starts a run that asks a yes/no question (a `noul`) about each row, or resumes it. */
const startBatch = (
  output: string,
  { url }: RowService,
  flags: ReadonlyArray<string>,
): RunningProgram => {
  const args = ['batch', '-i', 'rows.jsonl', '-o', output, '--resume', '--noul', 'q=Is it?']
  return startProgram([...args, '--concurrency', `${concurrency}`, ...flags], {
    env: { SERVICE_API_KEY: 'k', SERVICE_BASE_URL: url },
  })
}

type InterruptSignal = 'SIGKILL' | 'SIGINT'

/** The kind of the runs: how they end, and how they ask. */
interface RunKind {
  readonly signal: InterruptSignal
  /** The maximum number of rows in a request; 1 without packs. */
  readonly packSize: number
}

const listPackFlags = ({ packSize }: RunKind): ReadonlyArray<string> =>
  packSize === 1 ? [] : ['--pack', `${packSize}`, '--pack-check', '0']

/**
 * Starts or resumes the run. If `isSignalled`, sends the signal once the run has asked `rowsBeforeSignal` rows. Fails if the run asks a
 * recorded row again, or if more than `maxUnrecordedRows` requests have no record at its end.
 */
const runOnce = async (
  service: RowService,
  rowsBeforeSignal: number,
  kind: RunKind,
  isSignalled: boolean,
): Promise<{ readonly result: ProgramResult; readonly askedRows: ReadonlyArray<number> }> => {
  const recordsBefore = countRecords()
  service.forgetRows()
  const { child, ended } = startBatch('run.jsonl', service, listPackFlags(kind))
  await Promise.race([service.waitForRows(rowsBeforeSignal), ended])
  if (isSignalled) child.kill(kind.signal)
  const result = await ended
  const askedRows = service.askedRows()
  const asksOnlyNewRows = askedRows.every((row) => row >= recordsBefore)
  assert.ok(asksOnlyNewRows, 'no recorded row is asked again')
  // Rows are asked and recorded from row 0 on. If this run asked no row, −1 makes the count 0.
  const askedRowCount = Math.max(-1, ...askedRows) + 1
  const unrecordedRows = askedRowCount - countRecords()
  assert.ok(
    unrecordedRows <= maxUnrecordedRows * kind.packSize,
    `${unrecordedRows} rows without a record`,
  )
  return { result, askedRows }
}

/** Selects what packs do not change in records: the row and its answers. */
const selectAnswers = (text: string): string =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map(({ index, answers }) => JSON.stringify([index, answers]))
    .join('\n')

interface ResumeCounts {
  readonly sentSignals: number
  /** The number of requests about rows that an earlier run had asked already. */
  readonly repeatedRequests: number
}

/**
 * Sends signals to runs of svc batch at random moments, and resumes each run until it is complete. Ends once it has sent
 * `signalCount` signals and the last run is complete. Fails if a complete output differs from that of an undisturbed run.
 * `checkResult` gets the result of each interrupted run. In packs, only the answers of both outputs must be equal.
 */
export const interruptAndResume = async (
  signalCount: number,
  signal: InterruptSignal,
  checkResult: (result: ProgramResult) => void,
  packSize = 1,
): Promise<ResumeCounts> => {
  const kind = { signal, packSize }
  const readOutput = (name: string): string => {
    const text = readFileSync(pathInFolder(name), 'utf8')
    return packSize === 1 ? text : selectAnswers(text)
  }
  const service = await startRowService()
  const random = createRandom(20260910)
  const rows = Array.from({ length: rowCount }, (_, row) => `${row}\n`)
  writeFileSync(pathInFolder('rows.jsonl'), rows.join(''))
  const undisturbedRun = await startBatch('whole.jsonl', service, listPackFlags(kind)).ended
  assert.is(undisturbedRun.code, 0, undisturbedRun.stderr)
  const expectedOutput = readOutput('whole.jsonl')
  let sentSignals = 0
  let repeatedRequests = 0
  while (sentSignals < signalCount) {
    rmSync(pathInFolder('run.jsonl'), { force: true })
    const requestedRows: number[] = []
    let isComplete = false
    while (!isComplete) {
      const rowsBeforeSignal = 1 + random.nextInt(maxRowsBeforeSignal)
      const isSignalled = sentSignals < signalCount
      const { result, askedRows } = await runOnce(service, rowsBeforeSignal, kind, isSignalled)
      requestedRows.push(...askedRows)
      if (result.code === 0) {
        isComplete = true
      } else {
        sentSignals += 1
        checkResult(result)
      }
    }
    repeatedRequests += requestedRows.length - new Set(requestedRows).size
    assert.is(readOutput('run.jsonl'), expectedOutput)
  }
  service.close()
  return { sentSignals, repeatedRequests }
}

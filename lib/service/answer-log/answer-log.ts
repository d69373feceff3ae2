import { hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import * as E from 'fp-ts/Either'
import type { Failure } from '../../failure/failure'
import { messageOf } from '../../failure/report'
import { reasonOf } from '../../runtime/node/error-reason'
import type { Clock, Files } from '../../runtime/runtime'
import { createRedact, type Redact } from '../../text/secret'
import type { Logger } from '../../tracing/log'
import { type AnsweredAsk, type AnsweredDocuments, decodeAnswered } from './answered-request'
import { type AnswerFacts, encodeAnswer } from './encode-answer'
import { type LogFile, openLogFile } from './open-log-file'

/** An answer to be logged. */
export interface LoggedAnswer extends AnswerFacts, AnsweredDocuments {
  /** The service's own id of the request. It decides whether the request is in the share that is logged. */
  readonly serviceRequestId: string
  /** The request and its answers, if the service has decoded them. Otherwise the log decodes the documents. */
  readonly ask: AnsweredAsk | undefined
  /** The secrets that the caller sent. They are redacted in a logged state. */
  readonly callerKeys: ReadonlyArray<string>
}

/** Writes a record for each answer of the service. The file is a run, so the readers of runs read it. */
export interface AnswerLog {
  /** Queues an answer. Never waits: if too many answers wait for the disk, drops this one. */
  readonly add: (answer: LoggedAnswer) => void
  /** Counts the dropped answers. */
  readonly countDropped: () => number
  /** Closes the file, and opens the file at the path, after everything queued has been written. */
  readonly reopen: () => void
  /** Waits until everything queued has been written, but not for long, and closes the file. */
  readonly close: () => Promise<void>
}

/** The settings of an answer log. */
export interface AnswerLogOptions {
  readonly path: string
  /** The share of requests that is logged, above 0 and at most 1. */
  readonly share: number
  readonly withStates: boolean
}

interface AnswerLogEnvironment {
  readonly files: Pick<Files, 'openOutput' | 'readPart'>
  readonly clock: Pick<Clock, 'now' | 'monotonic' | 'sleep'>
  readonly log: Logger
  /** Redacts the keys that svc knows. */
  readonly redact: Redact
}

/** The maximum number of answers that wait for the disk. */
export const maxWaitingAnswers = 1000

/** The maximum size of the documents of the waiting answers, unless there is only one: 16 MiB. Decoded documents take more memory. */
const maxWaitingBytes = 16 << 20

/** The maximum size of the lines that are written at once, beside the last of them. */
const maxWriteBytes = 256 << 10

/** Answers wait for this time, to be written together: a write for each answer would take a tenth of the service's time. */
const gatherMs = 50

/** If this number of answers waits, they are written at once. */
const maxGathered = maxWaitingAnswers / 2

/** The number of answers that are encoded in a row, before requests get the event loop again. */
const answersPerTurn = 4

/** The wait after a failed write, before the file is opened again. */
const retryIntervalMs = 1000

/** Dropped answers are reported at most once in this time. */
const reportIntervalMs = 60_000

/** The maximum time that `close` waits for the disk. */
const maxCloseMs = 5000

/** Opens an answer log. Fails with a usage error if the file cannot be written, is locked, or is not a run. */
export const openAnswerLog = async (
  options: AnswerLogOptions,
  environment: AnswerLogEnvironment,
): Promise<E.Either<Failure, AnswerLog>> => {
  const opened = await openLogFile(options.path, environment.files)
  return E.isLeft(opened)
    ? opened
    : E.right(new QueuedAnswerLog(options, environment, opened.right))
}

/** An answer log that writes one batch of lines after the other, while further answers wait. */
class QueuedAnswerLog implements AnswerLog {
  private readonly waiting: LoggedAnswer[] = []
  private waitingBytes = 0
  private file: LogFile['file'] | undefined
  private nextIndex: number
  private mustReopen = false
  private writing: Promise<void> | undefined
  private droppedCount = 0
  private reportedCount = 0
  private reportedAtMs = Number.NEGATIVE_INFINITY
  private lastCallerRedact: { readonly key: string; readonly redact: Redact } | undefined

  constructor(
    private readonly options: AnswerLogOptions,
    private readonly environment: AnswerLogEnvironment,
    { file, nextIndex }: LogFile,
  ) {
    this.file = file
    this.nextIndex = nextIndex
  }

  add = (answer: LoggedAnswer): void => {
    if (!isInShare(answer.serviceRequestId, this.options.share)) return
    const bytes = measureAnswer(answer)
    const { length } = this.waiting
    const isTooLarge = length > 0 && this.waitingBytes + bytes > maxWaitingBytes
    if (length >= maxWaitingAnswers || isTooLarge) {
      this.drop(1, 'the disk is too slow')
      return
    }
    this.waiting.push(answer)
    this.waitingBytes += bytes
    this.startWriting()
  }

  countDropped = (): number => this.droppedCount

  reopen = (): void => {
    this.mustReopen = true
    this.startWriting()
  }

  close = async (): Promise<void> => {
    const timeout = new AbortController()
    await Promise.race([this.writing, this.environment.clock.sleep(maxCloseMs, timeout.signal)])
    timeout.abort()
    this.droppedCount += this.waiting.length
    this.report('the service ends')
    await this.closeFile()
  }

  private startWriting(): void {
    this.writing ??= this.writeAll().finally(() => {
      this.writing = undefined
    })
  }

  /** Writes until nothing waits. Each answer waits for its turn on the event loop, so that requests go first. */
  private async writeAll(): Promise<void> {
    do {
      if (this.waiting.length < maxGathered) await this.environment.clock.sleep(gatherMs)
      if (this.mustReopen) {
        this.mustReopen = false
        await this.closeFile()
      }
      const failure = await this.writeBatch()
      if (failure === undefined) continue
      this.drop(failure.count, failure.reason)
      await this.closeFile()
      await this.environment.clock.sleep(retryIntervalMs)
    } while (this.waiting.length > 0 || this.mustReopen)
  }

  /** Encodes and writes a batch of answers. Resolves to the reason and the number of lost answers if that fails. */
  private async writeBatch(): Promise<
    { readonly count: number; readonly reason: string } | undefined
  > {
    const lines: Buffer[] = []
    const firstIndex = this.nextIndex
    let byteCount = 0
    let answerCount = 0
    while (byteCount < maxWriteBytes) {
      const answer = this.waiting.shift()
      if (answer === undefined) break
      this.waitingBytes -= measureAnswer(answer)
      const line = this.encode(answer)
      if (line !== undefined) {
        lines.push(line)
        byteCount += line.length
      }
      answerCount += 1
      if (answerCount % answersPerTurn === 0) await setImmediate()
    }
    try {
      const file = await this.openFile()
      if (lines.length > 0) await file.append(Buffer.concat(lines))
      return undefined
    } catch (error) {
      this.nextIndex = firstIndex
      return { count: lines.length, reason: reasonOf(error) }
    }
  }

  /** Encodes an answer. Drops it if its documents are invalid. */
  private encode(answer: LoggedAnswer): Buffer | undefined {
    const ask = answer.ask === undefined ? decodeAnswered(answer) : E.right(answer.ask)
    if (E.isLeft(ask)) {
      this.drop(1, ask.left)
      return undefined
    }
    const index = this.nextIndex
    this.nextIndex += 1
    const { withStates } = this.options
    return encodeAnswer(ask.right, answer, {
      index,
      withState: withStates,
      redact: withStates ? this.chooseRedact(answer) : this.environment.redact,
    })
  }

  /** Chooses a function that redacts the keys of the caller too. Keeps the last one, because many requests have the same key. */
  private chooseRedact({ callerKeys }: LoggedAnswer): Redact {
    const { redact } = this.environment
    const key = callerKeys.join('\n')
    if (key.trim() === '') return redact
    if (this.lastCallerRedact?.key !== key) {
      const redactCaller = createRedact(callerKeys)
      this.lastCallerRedact = { key, redact: (text) => redactCaller(redact(text)) }
    }
    return this.lastCallerRedact.redact
  }

  /** Opens the file at the path, unless it is open. Rejects with the reason if that fails. */
  private async openFile(): Promise<LogFile['file']> {
    if (this.file !== undefined) return this.file
    const opened = await openLogFile(this.options.path, this.environment.files)
    if (E.isLeft(opened)) throw new Error(messageOf(opened.left))
    this.file = opened.right.file
    return this.file
  }

  private async closeFile(): Promise<void> {
    const { file } = this
    this.file = undefined
    await file?.close().catch(() => undefined)
  }

  private drop(count: number, reason: string): void {
    if (count === 0) return
    this.droppedCount += count
    if (this.environment.clock.monotonic() - this.reportedAtMs >= reportIntervalMs)
      this.report(reason)
  }

  /** Reports the answers that were dropped since the last report. */
  private report(cause: string): void {
    const dropped = this.droppedCount - this.reportedCount
    if (dropped === 0) return
    this.reportedCount = this.droppedCount
    this.reportedAtMs = this.environment.clock.monotonic()
    this.environment.log.warning('answers are missing in the answer log', { dropped, cause })
  }
}

const measureAnswer = ({ requestBody, responseBody }: AnsweredDocuments): number =>
  requestBody.length + responseBody.length

/** Returns `true` for this share of request ids. A hash decides, so that one request is logged by every service or by none. */
const isInShare = (requestId: string, share: number): boolean => {
  if (share >= 1) return true
  const hashedBytes = 6
  const hashed = hash('sha256', requestId, 'buffer').readUIntBE(0, hashedBytes)
  return hashed / 2 ** (8 * hashedBytes) < share
}

import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../failure/failure'
import { runFileOperation } from '../../failure/named-files'
import { decodeRecord, type RunRecord } from '../../runs/record/decode'
import { maxRecordBytes } from '../../runs/record/record-lines'
import type { Files, OutputFile } from '../../runtime/runtime'

/** An open log, and the index of its next record. */
export interface LogFile {
  readonly file: OutputFile
  /** The index after that of the last record; 0 for an empty file. */
  readonly nextIndex: number
}

/** Only the user may read a new log, because it says what callers ask. */
const logFileMode = 0o600

/**
 * Opens the file of an answer log and locks it. Removes a torn last line and zero bytes at the end, which a killed process or a power
 * failure leaves. Fails with a usage error if another process writes the file, or if it is no run: its first or last line is not a record.
 * The lines between them are not read, because a log can be large.
 */
export const openLogFile = async (
  path: string,
  files: Pick<Files, 'openOutput' | 'readPart'>,
): Promise<E.Either<Failure, LogFile>> => {
  const opened = await runFileOperation(`write ${path}`, () =>
    files.openOutput(path, logFileMode),
  )()
  if (E.isLeft(opened)) return opened
  const file = opened.right
  const prepared = await runFileOperation(`write ${path}`, () => prepareFile(path, file, files))()
  const result = E.flatten(prepared)
  if (E.isLeft(result)) {
    await file.close()
    return result
  }
  return E.right({ file, nextIndex: result.right })
}

/** Checks the first and the last line, and makes the file end with a whole line. Resolves to the index of the next record. */
const prepareFile = async (
  path: string,
  file: OutputFile,
  { readPart }: Pick<Files, 'readPart'>,
): Promise<E.Either<Failure, number>> => {
  const { size } = file
  if (size === 0) return E.right(0)
  const read = async (start: number, length: number): Promise<Buffer> =>
    Buffer.from(await readPart(path, start, length))
  const end = await findEnd(size, read)
  const last = await readLastLine(end, read)
  const notARun = (which: string) =>
    E.left(usage(`write ${path}: its ${which} line is not a record of a run`))
  let validBytes = end
  let lastLine = last
  if (!last.hasNewline && decodeLine(last.bytes) === undefined) {
    if (!isTornRecord(last.bytes)) return notARun('last')
    validBytes = last.start
    lastLine = await readLastLine(validBytes, read)
  }
  if (validBytes < size) await file.truncate(validBytes)
  if (validBytes === 0) return E.right(0)
  const record = decodeLine(lastLine.bytes)
  if (record === undefined) return notARun('last')
  const first = await readFirstLine(validBytes, read)
  if (decodeLine(first) === undefined) return notARun('first')
  if (!lastLine.hasNewline) await file.append(Buffer.from('\n'))
  return E.right(record.index + 1)
}

type ReadPart = (start: number, length: number) => Promise<Buffer>

/** The size of the parts in which a file is searched. */
const partBytes = 64 << 10

/** Finds the offset after the last byte that is not zero. */
const findEnd = async (size: number, read: ReadPart): Promise<number> => {
  let end = size
  while (end > 0) {
    const start = Math.max(0, end - partBytes)
    const part = await read(start, end - start)
    let length = part.length
    while (length > 0 && part[length - 1] === 0) length -= 1
    if (length > 0) return start + length
    end = start
  }
  return 0
}

interface LastLine {
  /** Without its newline. */
  readonly bytes: Buffer
  readonly start: number
  readonly hasNewline: boolean
}

/** Reads the last line of the first `end` bytes of a file. A line over the limit of records is cut at its beginning. */
const readLastLine = async (end: number, read: ReadPart): Promise<LastLine> => {
  const hasNewline = end > 0 && (await read(end - 1, 1))[0] === newline
  const lineEnd = hasNewline ? end - 1 : end
  let start = lineEnd
  const parts: Buffer[] = []
  while (start > 0 && lineEnd - start <= maxRecordBytes) {
    const partStart = Math.max(0, start - partBytes)
    const part = await read(partStart, start - partStart)
    const newlineIndex = part.lastIndexOf(newline)
    parts.unshift(part.subarray(newlineIndex + 1))
    start = partStart + newlineIndex + 1
    if (newlineIndex >= 0) break
  }
  return { bytes: Buffer.concat(parts), start, hasNewline }
}

const newline = 0x0a

/** Reads the first line of a file without its newline, up to the limit of records. */
const readFirstLine = async (size: number, read: ReadPart): Promise<Buffer> => {
  const parts: Buffer[] = []
  for (let start = 0; start < size && start <= maxRecordBytes; start += partBytes) {
    const part = await read(start, Math.min(partBytes, size - start))
    const newlineIndex = part.indexOf(newline)
    if (newlineIndex >= 0) {
      parts.push(part.subarray(0, newlineIndex))
      break
    }
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** Decodes a line; `undefined` if it is not a record. */
const decodeLine = (bytes: Buffer): RunRecord | undefined => {
  const record = decodeRecord(bytes)
  return E.isRight(record) ? record.right : undefined
}

/** Every record of a log begins with this text. */
const recordBeginning = '{"index":'

/** Returns `true` if a line can be the beginning of a record. */
const isTornRecord = (bytes: Buffer): boolean => {
  const text = bytes.subarray(0, recordBeginning.length).toString('latin1')
  return recordBeginning.startsWith(text)
}

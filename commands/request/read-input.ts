import * as E from 'fp-ts/Either'
import { maxDocumentBytes, measureByteOrderMark, tooLargeMessage } from '../../lib/codec/json/parse'
import { type Failure, interrupted, usage } from '../../lib/failure/failure'
import { reasonOf } from '../../lib/runtime/node/error-reason'
import type { Runtime } from '../../lib/runtime/runtime'
import { convertUtf16Document } from '../../lib/text/utf16'

/** An input that svc reads: standard input or a file. */
export type InputSource =
  | { readonly from: 'stdin' }
  | { readonly from: 'file'; readonly path: string }

/** Parses the value of a flag that names an input: `-` is standard input. */
export const parseInputSource = (path: string): InputSource =>
  path === '-' ? { from: 'stdin' } : { from: 'file', path }

/** The inputs of svc, and the signal that interrupts reading them. */
export type Inputs = Pick<Runtime, 'stdin' | 'files' | 'signal'>

/**
 * Reads an input of at most 16 MiB in UTF-8, or in UTF-16 with a byte order mark, which it converts. `inputName` is for messages: `read request: …`. Fails with a usage error, or as
 * interrupted.
 */
export const readInput = async (
  source: InputSource,
  inputName: string,
  { stdin, files, signal }: Inputs,
): Promise<E.Either<Failure, Uint8Array>> => {
  try {
    const bytes = await (source.from === 'stdin'
      ? stdin.read(maxDocumentBytes, signal)
      : files.read(source.path, maxDocumentBytes))
    // Both reads return more bytes than the limit if there are more.
    if (bytes.length > maxDocumentBytes) return E.left(usage(`request ${tooLargeMessage}`))
    const utf8 = convertUtf16Document(bytes)
    return E.isRight(utf8)
      ? utf8
      : E.left(usage(`read ${inputName}: ${describeSource(source)}: ${utf8.left}`))
  } catch (error) {
    if (signal.aborted) return E.left(interrupted)
    return E.left(usage(`read ${inputName}: ${describeSource(source)}: ${reasonOf(error)}`))
  }
}

/** Returns the name of an input for messages: the path, or `standard input`. */
export const describeSource = (source: InputSource): string =>
  source.from === 'file' ? source.path : 'standard input'

/** Returns `true` if a document has nothing but white space and a byte order mark. */
export const isBlankDocument = (bytes: Uint8Array): boolean =>
  // 9 to 13 are tab, line feed, vertical tab, form feed and carriage return.
  bytes
    .subarray(measureByteOrderMark(bytes))
    .every((byte) => byte === 0x20 || (byte >= 9 && byte <= 13))

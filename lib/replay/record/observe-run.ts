import { readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { keyOnlyHeaders } from '../../client/dialects/dialect'
import type { Fetch, FetchInit, Files, Runtime } from '../../runtime/runtime'
import { goldenKey } from '../compare-requests'
import { type ObservedExchange, recordedHeaders } from './recorded-files'

/** The inputs and exchanges of a command. */
export interface ObservedRun {
  /** The exchanges in the order in which their responses ended. An exchange whose response did not end is missing. */
  readonly exchanges: ReadonlyArray<ObservedExchange>
  readonly stdin: Uint8Array
  /** The files that the command read, by path, with their content before the run. Files that did not exist are left out. */
  readonly inputs: ReadonlyMap<string, Uint8Array>
  /** The folders of the files that the command wrote, or tried to write. */
  readonly outputFolders: ReadonlySet<string>
}

/** Wraps a runtime so that it collects what a command reads and sends. `listObserved` returns everything collected so far. */
export const observeRun = (
  runtime: Runtime,
): { readonly runtime: Runtime; readonly listObserved: () => ObservedRun } => {
  const exchanges: Array<ObservedExchange> = []
  const stdinChunks: Array<Uint8Array> = []
  const inputs = new Map<string, Uint8Array>()
  const outputFolders = new Set<string>()
  const observed: Runtime = {
    ...runtime,
    fetch: collectExchanges(runtime.fetch, exchanges),
    files: collectFiles(runtime.files, inputs, outputFolders),
    stdin: {
      ...runtime.stdin,
      read: async (limit, signal) => {
        const bytes = await runtime.stdin.read(limit, signal)
        stdinChunks.push(bytes)
        return bytes
      },
      chunks: (signal) => collectChunks(runtime.stdin.chunks(signal), stdinChunks),
    },
  }
  return {
    runtime: observed,
    listObserved: () => ({ exchanges, stdin: Buffer.concat(stdinChunks), inputs, outputFolders }),
  }
}

/** Yields chunks, and adds each of them to `collected`. Calls `onEnd` after the last one, if all are read. */
async function* collectChunks(
  chunks: AsyncIterable<Uint8Array>,
  collected: Array<Uint8Array>,
  onEnd = (): void => undefined,
): AsyncIterable<Uint8Array> {
  for await (const chunk of chunks) {
    collected.push(chunk)
    yield chunk
  }
  onEnd()
}

/** Wraps `fetch` so that it adds each exchange to `exchanges` when the response has been read to its end. */
const collectExchanges =
  (fetch: Fetch, exchanges: Array<ObservedExchange>): Fetch =>
  async (url, init) => {
    const response = await fetch(url, init)
    const { pathname, search } = new URL(url)
    const headers = recordedHeaders.flatMap((name) => {
      const value = response.header(name)
      return value === null ? [] : [[name, value] as const]
    })
    const chunks: Array<Uint8Array> = []
    const addExchange = (): void => {
      exchanges.push({
        method: init.method,
        path: pathname + search,
        requestHeaders: describeExpectedHeaders(init.headers),
        requestBody: joinBody(init.body),
        status: response.status,
        headers: Object.fromEntries(headers),
        responseBody: Buffer.concat(chunks),
      })
    }
    return { ...response, body: collectChunks(response.body, chunks, addExchange) }
  }

/**
 * Describes the headers of a request that a scenario must name because they differ from those that svc always sends. `null`
 * means that the request must not have the header. The API key of scenarios replaces that of the run.
 */
const describeExpectedHeaders = (
  sent: FetchInit['headers'],
): Readonly<Record<string, string | null>> => {
  const headers: Record<string, string | null> = {}
  const names = Object.keys(sent).map((name) => name.toLowerCase())
  if (!names.includes('authorization')) headers.authorization = null
  for (const name of keyOnlyHeaders) if (names.includes(name)) headers[name] = goldenKey
  if (names.includes(imagesHeader)) headers[imagesHeader] = 'true'
  return headers
}

/** TypeSafe's header for requests with images. */
const imagesHeader = 'typesafe-danger-zone-images'

/** Joins the pieces of a request body; empty if there is none. */
const joinBody = (body: FetchInit['body'] = ''): Uint8Array => {
  const pieces = typeof body === 'string' || body instanceof Uint8Array ? [body] : body
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece)))
}

/** Wraps files so that they add what is read to `inputs`, and the folders of what is written to `outputFolders`. */
const collectFiles = (
  files: Files,
  inputs: Map<string, Uint8Array>,
  outputFolders: Set<string>,
): Files => {
  /** Saves the folder of an output, if it exists: a scenario must not make one that was missing. */
  const saveFolder = (path: string): void => {
    const folder = dirname(path)
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) outputFolders.add(folder)
  }
  /** Saves the content of a regular file, unless an earlier call has saved it. Call it before the command can change the file. */
  const saveContent = (path: string): void => {
    if (!inputs.has(path) && statSync(path, { throwIfNoEntry: false })?.isFile())
      inputs.set(path, readFileSync(path))
  }
  return {
    ...files,
    read: (path, limit) => {
      saveContent(path)
      return files.read(path, limit)
    },
    readRegular: (path, options) => {
      saveContent(path)
      return files.readRegular(path, options)
    },
    chunks: (path, signal) => {
      saveContent(path)
      return files.chunks(path, signal)
    },
    // With --resume the command reads its earlier output.
    openOutput: (path, newMode) => {
      saveContent(path)
      saveFolder(path)
      return files.openOutput(path, newMode)
    },
    replace: (path, data) => {
      saveFolder(path)
      return files.replace(path, data)
    },
    append: (path, data) => {
      saveFolder(path)
      return files.append(path, data)
    },
  }
}

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../failure/failure'
import { runFileOperation } from '../failure/named-files'
import { readOneImage } from '../runs/batch/image-files'
import type { TableForm } from '../runs/rows/form'
import { reasonOf } from '../runtime/node/error-reason'
import type { Files, LockedFile } from '../runtime/runtime'
import { AnswerWriter, type AnswerWriterOptions } from './answer-writer'
import { createLabelApp, type PageFiles } from './label-app'
import { openTable } from './open-table'
import type { LabelProgress } from './protocol'

export interface LabelOptions extends AnswerWriterOptions {
  /** The table that `svc sample` wrote. */
  readonly input: string
  /** The file that gets the labels. Default: the input. */
  readonly output: string | undefined
  readonly form: TableForm
  /** The port to listen on; 0 picks one. */
  readonly port: number
  /** `true` if images may be outside the folder of the input. */
  readonly followLinks: boolean
}

/** A running server. */
export interface LabelServer {
  /** The address to open in the browser. It works once. */
  readonly address: string
  /** Resolves when the person has pressed done. */
  readonly finished: Promise<void>
  readonly countProgress: () => LabelProgress
  /** The number of quoted cells of the table that hold a line break and a delimiter, and so perhaps several rows. */
  readonly spanningCells: number
  readonly close: () => Promise<void>
}

/**
 * Opens the table and serves its page on this machine. Locks the file for the labels until the server is closed. Fails with a usage error
 * if svc cannot open the table or the port, or if another process has locked the file.
 */
export const startLabelServer = async (
  options: LabelOptions,
  files: Pick<Files, 'read' | 'readPart' | 'readRegular' | 'lock'>,
  readPageFiles: () => Promise<PageFiles>,
): Promise<E.Either<Failure, LabelServer>> => {
  const path = options.output ?? options.input
  const locked = await runFileOperation(`write ${path}`, () => files.lock(path))()
  if (E.isLeft(locked)) return locked
  const file = locked.right
  const server = await serveTable(options, files, file, readPageFiles)
  if (E.isLeft(server)) {
    await file.release()
    return server
  }
  const close = async (): Promise<void> => {
    await server.right.close()
    await file.release()
  }
  return E.right({ ...server.right, close })
}

/** Opens the table and serves its page. `file` is the locked file for the labels. */
const serveTable = async (
  options: LabelOptions,
  files: Pick<Files, 'read' | 'readPart' | 'readRegular'>,
  file: LockedFile,
  readPageFiles: () => Promise<PageFiles>,
): Promise<E.Either<Failure, LabelServer>> => {
  const opened = await openTable(files, options)
  if (E.isLeft(opened)) return opened
  const writer = new AnswerWriter(files, file, opened.right, options)
  const pageFiles = await readPageFiles()
  const server = createServer()
  const port = await listen(server, options.port)
  if (E.isLeft(port)) return port
  const secrets = { key: createSecret(), cookie: createSecret(), token: createSecret() }
  const closing = new AbortController()
  // Images are relative to the folder of the input, also if the labels go to another file.
  const readImage = (path: string) =>
    readOneImage(files, options, { name: 'of the row', path }, closing.signal)
  const app = createLabelApp({ writer, files: pageFiles, secrets, port: port.right, readImage })
  server.on('request', getRequestListener(app.fetch))
  return E.right({
    address: `http://127.0.0.1:${port.right}/?key=${secrets.key}`,
    finished: writer.finished,
    countProgress: () => writer.countProgress(),
    spanningCells: opened.right.table.spanningCells,
    close: () => {
      closing.abort()
      return closeServer(server)
    },
  })
}

const createSecret = (): string => randomBytes(24).toString('base64url')

/** Listens on the loopback address, and returns the port. Fails with a usage error, for example if the port is taken. */
const listen = async (server: Server, port: number): Promise<E.Either<Failure, number>> => {
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    return E.right((server.address() as AddressInfo).port)
  } catch (error) {
    const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
    const advice = isTaken ? '; choose another port by --port' : ''
    return E.left(usage(`listen on 127.0.0.1:${port}: ${reasonOf(error)}${advice}`))
  }
}

/** The maximum time for the requests in flight at the end. */
const maxClosingMs = 200

/**
 * Stops the server. Requests in flight may finish within `maxClosingMs`. Then the remaining connections are closed: browsers open
 * some in advance, and Node does not count a connection without a request as idle.
 */
const closeServer = async (server: Server): Promise<void> => {
  const timer = setTimeout(() => server.closeAllConnections(), maxClosingMs)
  await once(server.close(), 'close')
  clearTimeout(timer)
}

import { randomBytes } from 'node:crypto'
import { serve } from '@hono/node-server'
import * as E from 'fp-ts/Either'
import type { Hono } from 'hono'
import { type Failure, usage } from '../failure/failure'
import { reasonOf } from '../runtime/node/error-reason'
import type { Files } from '../runtime/runtime'
import { AnswerWriter } from './answer-writer'
import { openTable } from './open-table'
import type { LabelProgress, PageQuestion } from './protocol'
import { createLabelApp, type PageFiles } from './server'

export interface LabelOptions {
  /** The table that `svc sample` wrote. */
  readonly input: string
  /** The file that gets the labels. Default: the input. */
  readonly output: string | undefined
  readonly questions: ReadonlyArray<PageQuestion>
  readonly seed: number
  /** The number of rows that are shown a second time. */
  readonly again: number
  /** The port to listen on; 0 picks one. */
  readonly port: number
}

/** A page that is being served. */
export interface LabelServing {
  /** The address for the person's browser. It works once. */
  readonly address: string
  /** Resolves when the person has pressed done. */
  readonly finished: Promise<void>
  readonly progress: () => LabelProgress
  readonly close: () => Promise<void>
}

/** Opens the table and serves its page on this machine. Fails with a usage error if the table cannot be labelled. */
export const startLabelling = async (
  options: LabelOptions,
  files: Pick<Files, 'read' | 'readPart' | 'replace'>,
  readPage: () => Promise<PageFiles>,
): Promise<E.Either<Failure, LabelServing>> => {
  const { input, output, questions, seed, again } = options
  const ids = questions.map(({ id }) => id)
  const opened = await openTable(files, input, output, ids)
  if (E.isLeft(opened)) return opened
  let onFinish = (): void => undefined
  const finished = new Promise<void>((resolve) => {
    onFinish = resolve
  })
  const writer = new AnswerWriter(files, opened.right, { questions, seed, again, onFinish })
  const secrets = { key: createSecret(), cookie: createSecret(), token: createSecret() }
  let hosts: ReadonlyArray<string> = []
  const app = createLabelApp(writer, await readPage(), secrets, () => hosts)
  const listening = await listen(app, options.port)
  if (E.isLeft(listening)) return listening
  const { port, close } = listening.right
  hosts = [`127.0.0.1:${port}`, `localhost:${port}`]
  return E.right({
    address: `http://127.0.0.1:${port}/?key=${secrets.key}`,
    finished,
    progress: () => writer.progress(),
    close,
  })
}

const createSecret = (): string => randomBytes(24).toString('base64url')

/** Listens on the loopback address. Fails with a usage error, for example if the port is taken. */
const listen = (
  app: Hono,
  port: number,
): Promise<E.Either<Failure, { readonly port: number; readonly close: () => Promise<void> }>> =>
  new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port }, (address) => {
      const close = (): Promise<void> => new Promise((done) => server.close(() => done()))
      resolve(E.right({ port: address.port, close }))
    })
    server.on('error', (error) =>
      resolve(E.left(usage(`listen on 127.0.0.1:${port}: ${reasonOf(error)}`))),
    )
  })

import { timingSafeEqual } from 'node:crypto'
import * as E from 'fp-ts/Either'
import { Hono, type Context as HonoContext, type MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { getCookie, setCookie } from 'hono/cookie'
import { secureHeaders } from 'hono/secure-headers'
import type * as t from 'io-ts'
import { mediaTypeOf } from '../codec/images'
import type { ReadImage } from '../runs/batch/image-files'
import type { AnswerWriter } from './answer-writer'
import {
  AnswerMessage,
  type CheckedPage,
  type LabelScreen,
  type RefusalMessage,
  TabMessage,
  UndoMessage,
} from './protocol'

/** The files of the page, by the path of their URL. `type` is the `Content-Type`. */
export type PageFiles = ReadonlyMap<string, { readonly type: string; readonly content: string }>

/** The secrets of one run of `svc label`, each a long random text. */
export interface LabelSecrets {
  /** Part of the address that svc prints. It works once. */
  readonly key: string
  /** The value of the cookie that a browser gets for the key. */
  readonly cookie: string
  /** Part of the page, which sends the token with each message. Pages of other sites do not know the token. */
  readonly token: string
}

const maxBodyBytes = 64 << 10

const usedKeyMessage =
  'This address works once, in one browser. Start svc label again for a new one. Nothing is lost.'

/** The page may load from this origin only, and no other page may show it in a frame. */
const protectionHeaders = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    connectSrc: ["'self'"],
    imgSrc: ["'self'", 'data:'],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
  // The server has no certificate.
  strictTransportSecurity: false,
})

export interface LabelAppOptions {
  readonly writer: AnswerWriter
  readonly files: PageFiles
  readonly secrets: LabelSecrets
  /** The port at which the app is served. */
  readonly port: number
  /** Reads the image at a path of the table. Fails with a message. */
  readonly readImage: (path: string) => Promise<E.Either<string, ReadImage>>
}

type HandleMessage<A> = (message: A) => Promise<LabelScreen | CheckedPage | RefusalMessage>

/**
 * Creates the app of `svc label`. It checks each request in this order: `Host` and `Origin`, the key of the address, the
 * cookie, and, for messages of the page, the token and the size.
 */
export const createLabelApp = (options: LabelAppOptions): Hono => {
  const { writer, files, secrets, port, readImage } = options
  const { key, cookie, token } = secrets
  // Browsers share cookies between the ports of a host, so each session needs a different name.
  const cookieName = `svc-label-${port}`
  const hasCookie = (context: HonoContext): boolean =>
    isSameSecret(getCookie(context, cookieName), cookie)
  const hasToken = (context: HonoContext): boolean =>
    isSameSecret(context.req.header('x-svc-token'), token)
  let isKeyUsed = false

  const app = new Hono()
  app.use(protectionHeaders, forbidCaching)
  app.use(
    requireThat((context) => isForPort(context, port), 'svc label answers on 127.0.0.1 only.'),
  )
  app.use('/', async (context, next) => {
    const givenKey = context.req.query('key')
    if (givenKey === undefined) return next()
    // The key works once. A browser that has the cookie is only redirected, so the key leaves its address bar.
    if (!hasCookie(context)) {
      if (isKeyUsed || !isSameSecret(givenKey, key)) return refuse(context, usedKeyMessage)
      isKeyUsed = true
      setCookie(context, cookieName, cookie, { httpOnly: true, sameSite: 'Strict', path: '/' })
    }
    return context.redirect('/', 303)
  })
  app.use(requireThat(hasCookie, 'Open the address that svc label printed.'))
  for (const [path, { type, content }] of files)
    app.get(path, (context) => {
      context.header('Content-Type', type)
      // Only the HTML page contains `{token}`.
      return context.body(content.replace('{token}', token))
    })
  app.get('/answers.csv', (context) => context.text(writer.formatAnswers()))
  app.get('/images/:step{\\d+}/:field{\\d+}', async (context) => {
    const path = writer.findImage(
      Number(context.req.param('step')),
      Number(context.req.param('field')),
    )
    if (path === undefined) return context.text('There is no such image.\n', 404)
    const image = await readImage(path)
    if (E.isLeft(image)) return context.text(`${image.left}\n`, 404)
    const { format, bytes } = image.right
    return context.body(new Uint8Array(bytes), 200, { 'Content-Type': mediaTypeOf(format) })
  })

  app.use('/api/*', requireThat(hasToken, 'This message is not from the page of svc label.'))
  app.use('/api/*', bodyLimit({ maxSize: maxBodyBytes }))
  app.post('/api/open', (context) => context.json(writer.open()))
  const post = <A>(path: string, codec: t.Type<A, unknown>, handle: HandleMessage<A>) =>
    app.post(path, async (context) => {
      const message = codec.decode(await context.req.json().catch(() => undefined))
      if (E.isLeft(message)) return context.text('svc label does not know this message.\n', 400)
      const result = await handle(message.right)
      return context.json(result, 'refusal' in result ? 409 : 200)
    })
  post('/api/answer', AnswerMessage, (message) => writer.answer(message))
  post('/api/undo', UndoMessage, (message) => writer.undo(message))
  post('/api/revisit', TabMessage, (message) => writer.revisit(message))
  post('/api/check', TabMessage, (message) => writer.check(message))
  post('/api/finish', TabMessage, (message) => writer.finish(message))
  return app
}

const forbidCaching: MiddlewareHandler = (context, next) => {
  context.header('Cache-Control', 'no-store')
  return next()
}

/** Refuses requests that do not pass a check. */
const requireThat =
  (isAllowed: (context: HonoContext) => boolean, refusal: string): MiddlewareHandler =>
  async (context, next) =>
    isAllowed(context) ? next() : refuse(context, refusal)

const refuse = (context: HonoContext, message: string): Response =>
  context.text(`${message}\n`, 403)

/** Checks `Host`, because another site could point its name to this address, and `Origin`, if the browser sends it. */
const isForPort = (context: HonoContext, port: number): boolean => {
  // Without `Host`, the `''` is none of the names below.
  const host = context.req.header('host') ?? ''
  const origin = context.req.header('origin') ?? `http://${host}`
  return [`127.0.0.1:${port}`, `localhost:${port}`].includes(host) && origin === `http://${host}`
}

/** Compares in constant time. Otherwise a caller could guess the secret letter by letter from the response times. */
const isSameSecret = (given: string | undefined, secret: string): boolean => {
  const givenBytes = Buffer.from(given ?? '')
  const secretBytes = Buffer.from(secret)
  return givenBytes.length === secretBytes.length && timingSafeEqual(givenBytes, secretBytes)
}

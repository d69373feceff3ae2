import { timingSafeEqual } from 'node:crypto'
import * as E from 'fp-ts/Either'
import { type Handler, Hono, type Context as HonoContext, type MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { getCookie, setCookie } from 'hono/cookie'
import { secureHeaders } from 'hono/secure-headers'
import type * as t from 'io-ts'
import type { AnswerWriter } from './answer-writer'
import { AnswerMessage, type LabelScreen, type RefusalMessage, TabMessage } from './protocol'

/** The files of the page, by their paths. */
export type PageFiles = ReadonlyMap<string, { readonly type: string; readonly content: string }>

/** The secrets of one session, each a long random text. */
export interface LabelSecrets {
  /** In the address that is printed. It works once. */
  readonly key: string
  /** In the cookie that a browser gets for the key. */
  readonly cookie: string
  /** A secret in the page. Each call of the page sends it, which proves that no other page made the call. */
  readonly token: string
}

/** A message of the page has at most this many bytes. */
const maxBodyBytes = 64 << 10

/** Browsers share cookies between the ports of a host, so each session needs a different name. */
const nameCookie = (context: HonoContext): string =>
  `svc-label-${(context.req.header('host') ?? '').replace(/^.*:/, '')}`

/**
 * Creates the app of `svc label`. It checks each request in this order: `Host` and `Origin`, the key of the address, the
 * cookie, and, for messages of the page, the token and the size.
 */
export const createLabelApp = (
  writer: AnswerWriter,
  files: PageFiles,
  secrets: LabelSecrets,
  port: number,
): Hono => {
  const app = new Hono()
  app.use(protectionHeaders, forbidCaching)
  app.use(checkHost([`127.0.0.1:${port}`, `localhost:${port}`]))
  app.use(exchangeKey(secrets))
  app.use(checkCookie(secrets))
  for (const [path, { type, content }] of files)
    app.get(path, (context) => {
      context.header('Content-Type', type)
      return context.body(content.replace('{token}', secrets.token))
    })
  app.get('/answers.csv', (context) => context.text(writer.listAnswers()))
  app.use('/api/*', checkToken(secrets), bodyLimit({ maxSize: maxBodyBytes }))
  app.post('/api/open', (context) => context.json(writer.open()))
  app.post(
    '/api/answer',
    handleMessage(AnswerMessage, (message) => writer.answer(message)),
  )
  app.post(
    '/api/undo',
    handleMessage(TabMessage, (message) => writer.undo(message)),
  )
  app.post(
    '/api/finish',
    closeConnection,
    handleMessage(TabMessage, (message) => writer.finish(message)),
  )
  return app
}

const forbidCaching: MiddlewareHandler = (context, next) => {
  context.header('Cache-Control', 'no-store')
  return next()
}

/** The server closes after this response, and would otherwise wait for the browser to end its connection. */
const closeConnection: MiddlewareHandler = (context, next) => {
  context.header('Connection', 'close')
  return next()
}

/** Protects the page: it may load from this origin only, and no other site may show it in a frame. */
const protectionHeaders = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    connectSrc: ["'self'"],
    imgSrc: ['data:'],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
  // The server has no certificate.
  strictTransportSecurity: false,
})

/**
 * Refuses requests with another `Host`, because a site could point its name to this address, and requests that a page of
 * another origin sends.
 */
const checkHost =
  (hosts: ReadonlyArray<string>): MiddlewareHandler =>
  async (context, next) => {
    const host = context.req.header('host') ?? ''
    const origin = context.req.header('origin') ?? `http://${host}`
    if (hosts.includes(host) && origin === `http://${host}`) return next()
    return refuse(context, 'svc label answers on 127.0.0.1 only.')
  }

/** Exchanges the key of the printed address for a cookie, once. */
const exchangeKey = ({ key, cookie }: LabelSecrets): MiddlewareHandler => {
  let isUsed = false
  return async (context, next) => {
    const given = context.req.query('key')
    if (given === undefined || context.req.path !== '/') return next()
    if (hasCookie(context, cookie)) return context.redirect('/', 303)
    if (isUsed || !isSame(given, key)) return refuse(context, usedKey)
    isUsed = true
    setCookie(context, nameCookie(context), cookie, {
      httpOnly: true,
      sameSite: 'Strict',
      path: '/',
    })
    return context.redirect('/', 303)
  }
}

const usedKey =
  'This address works once, in one browser. Start svc label again for a new one. Nothing is lost.'

const checkCookie =
  ({ cookie }: LabelSecrets): MiddlewareHandler =>
  async (context, next) =>
    hasCookie(context, cookie)
      ? next()
      : refuse(context, 'Open the address that svc label printed.')

const checkToken =
  ({ token }: LabelSecrets): MiddlewareHandler =>
  async (context, next) =>
    isSame(context.req.header('x-svc-token') ?? '', token)
      ? next()
      : refuse(context, 'This call does not come from the page of svc label.')

const hasCookie = (context: HonoContext, cookie: string): boolean =>
  isSame(getCookie(context, nameCookie(context)) ?? '', cookie)

/** Compares in constant time, to avoid that a secret can be guessed letter by letter. */
const isSame = (given: string, secret: string): boolean => {
  const [a, b] = [Buffer.from(given), Buffer.from(secret)]
  return a.length === b.length && timingSafeEqual(a, b)
}

const refuse = (context: HonoContext, message: string): Response =>
  context.text(`${message}\n`, 403)

/** Creates a route that decodes a message, and responds with a screen (200) or a refusal (409). */
const handleMessage =
  <A>(
    codec: t.Type<A, unknown>,
    handle: (message: A) => Promise<LabelScreen | RefusalMessage> | LabelScreen | RefusalMessage,
  ): Handler =>
  async (context) => {
    const message = codec.decode(await context.req.json().catch(() => undefined))
    if (E.isLeft(message)) return context.text('svc label does not know this message.\n', 400)
    const result = await handle(message.right)
    return context.json(result, 'refusal' in result ? 409 : 200)
  }

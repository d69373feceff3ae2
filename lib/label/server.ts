import { timingSafeEqual } from 'node:crypto'
import { Hono, type Context as HonoContext, type MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { getCookie, setCookie } from 'hono/cookie'
import type { LabelDesk } from './desk'
import { decodeAnswerMessage, decodeTab } from './messages'

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
 * Creates the app of `svc label`. A request meets, in this order: headers of protection, the check of `Host`, the key of
 * the address, the cookie, and, for calls of the page, its token and the limit of bodies.
 */
export const createLabelApp = (
  desk: LabelDesk,
  files: PageFiles,
  secrets: LabelSecrets,
  hosts: () => ReadonlyArray<string>,
): Hono => {
  const app = new Hono()
  app.use(protect)
  app.use(checkHost(hosts))
  app.use(takeKey(secrets))
  app.use(checkCookie(secrets))
  app.use('/api/*', checkToken(secrets), bodyLimit({ maxSize: maxBodyBytes }))
  addPage(app, files, secrets)
  addCalls(app, desk)
  return app
}

/** The Content-Security-Policy: the page may load from this origin only. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const protect: MiddlewareHandler = async (context, next) => {
  context.header('Content-Security-Policy', policy)
  context.header('Cross-Origin-Opener-Policy', 'same-origin')
  context.header('Cross-Origin-Resource-Policy', 'same-origin')
  context.header('Referrer-Policy', 'no-referrer')
  context.header('X-Content-Type-Options', 'nosniff')
  context.header('Cache-Control', 'no-store')
  await next()
}

/** Refuses requests with another `Host`: a page of another site could rebind its name to this address. */
const checkHost =
  (hosts: () => ReadonlyArray<string>): MiddlewareHandler =>
  async (context, next) => {
    const host = context.req.header('host') ?? ''
    return hosts().includes(host) ? next() : refuse(context, 'svc label answers on 127.0.0.1 only.')
  }

/** Exchanges the key of the printed address for a cookie, once. */
const takeKey = ({ key, cookie }: LabelSecrets): MiddlewareHandler => {
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

const addPage = (app: Hono, files: PageFiles, { token }: LabelSecrets): void => {
  for (const [path, { type, content }] of files)
    app.get(path, (context) => {
      context.header('Content-Type', type)
      return context.body(content.replace('{token}', token))
    })
}

const addCalls = (app: Hono, desk: LabelDesk): void => {
  app.post('/api/open', (context) => context.json(desk.open()))
  app.get('/api/steps/:step', (context) => {
    const step = desk.showStep(Number(context.req.param('step')))
    return step === undefined ? context.notFound() : context.json(step)
  })
  app.post('/api/answer', async (context) => {
    const message = decodeAnswerMessage(await readJson(context))
    return message === undefined ? badRequest(context) : reply(context, await desk.answer(message))
  })
  app.post('/api/undo', async (context) => {
    const tab = decodeTab(await readJson(context))
    return tab === undefined ? badRequest(context) : reply(context, await desk.undo(tab))
  })
  app.post('/api/finish', async (context) => {
    const tab = decodeTab(await readJson(context))
    if (tab === undefined) return badRequest(context)
    // The server closes now, and waits until this connection has ended.
    context.header('Connection', 'close')
    return reply(context, desk.finish(tab))
  })
  app.get('/api/answers', (context) => context.text(desk.listAnswers()))
}

const readJson = (context: HonoContext): Promise<unknown> =>
  context.req.json().catch(() => undefined)

const badRequest = (context: HonoContext): Response =>
  context.json({ refusal: 'bad request', message: 'svc label does not know this message.' }, 400)

/** Refusals are 409. The page decides by their kind how to react. */
const reply = (context: HonoContext, result: object): Response =>
  context.json(result, 'refusal' in result ? 409 : 200)

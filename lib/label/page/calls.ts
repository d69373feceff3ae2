import type {
  AnswerMessage,
  LabelProgress,
  Opened,
  PageStep,
  RefusalMessage,
  Undone,
} from '../protocol'

/** The calls of the page to its server. Each rejects if the server cannot be reached. */
export interface LabelCalls {
  readonly open: () => Promise<Opened>
  readonly step: (step: number) => Promise<PageStep>
  readonly answer: (message: AnswerMessage) => Promise<LabelProgress | RefusalMessage>
  readonly undo: (tab: number) => Promise<Undone | RefusalMessage>
  readonly finish: (tab: number) => Promise<LabelProgress | RefusalMessage>
  /** The answers since the start, as CSV. */
  readonly answers: () => Promise<string>
}

/** Creates the calls, each with the token that the server put into the page. */
export const createCalls = (token: string, send: typeof fetch): LabelCalls => {
  const call = async (path: string, body?: object): Promise<Response> => {
    const method = body === undefined ? 'GET' : 'POST'
    const headers = { 'x-svc-token': token, 'content-type': 'application/json' }
    const response = await send(path, { method, headers, body: body && JSON.stringify(body) })
    if (response.ok || response.status === 409) return response
    throw new Error(`${path} returned ${response.status}`)
  }
  const read = async <A>(path: string, body?: object): Promise<A> =>
    (await call(path, body)).json() as Promise<A>
  return {
    open: () => read('/api/open', {}),
    step: (step) => read(`/api/steps/${step}`),
    answer: (message) => read('/api/answer', message),
    undo: (tab) => read('/api/undo', { tab }),
    finish: (tab) => read('/api/finish', { tab }),
    answers: async () => (await call('/api/answers')).text(),
  }
}

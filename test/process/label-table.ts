import type { LabelScreen, OpenedPage } from '../../lib/label/protocol'
import { startProgram } from '../support/program'

/** Sends a message to the server of `svc label`, as its page does. Resolves with the response. */
type PostMessage = <A>(path: string, message: object) => Promise<A>

/**
 * Runs `svc label`, labels every row that its page shows, and finishes. Each step of the page shows one row. `chooseLabel` gets the
 * fields and the id of the row. Resolves with the exit code.
 */
export const labelTable = async (
  args: ReadonlyArray<string>,
  chooseLabel: (fields: ReadonlyMap<string, string>) => string,
): Promise<number | null> => {
  const program = startProgram(args, { env: {} })
  // The newline makes sure that the address is complete.
  const address = new URL(await program.waitForStderr(/http:\S+(?=\n)/))
  const post = await openPage(address)
  const opened = await post<OpenedPage>('/api/open', {})
  const { tab } = opened
  let { step } = opened
  while (step !== null) {
    const fields = new Map(step.fields.map(({ name, text }) => [name, text])).set('id', step.id)
    const answer = { kind: 'label', value: chooseLabel(fields) }
    const screen: LabelScreen = await post('/api/answer', {
      tab,
      stepIndex: step.index,
      answer,
      note: '',
    })
    step = screen.step
  }
  await post('/api/finish', { tab })
  return (await program.ended).code
}

/** Opens the page of `svc label`. Returns a function that sends messages with the cookie and the token of the page. */
const openPage = async (address: URL): Promise<PostMessage> => {
  // The response is a redirect with the cookie.
  const redirect = await fetch(address, { redirect: 'manual' })
  const cookie = redirect.headers.get('set-cookie')?.split(';')[0] ?? ''
  const page = await fetch(address.origin, { headers: { cookie } })
  const token = /svc-token" content="([^"]+)/.exec(await page.text())?.[1] ?? ''
  const headers = { cookie, 'x-svc-token': token, 'content-type': 'application/json' }
  return async (path, message) => {
    const body = JSON.stringify(message)
    const response = await fetch(address.origin + path, { method: 'POST', headers, body })
    return await response.json()
  }
}

import { start } from '../support/program'

/** Calls the server of `svc label` as its page does. */
type LabelCall = (path: string, body?: object) => Promise<Record<string, unknown>>

/**
 * Runs `svc label`, labels every row that it shows as a person would in the browser, and presses done. `labelOf` gets
 * the fields of a row. Returns the exit code.
 */
export const labelTable = async (
  args: ReadonlyArray<string>,
  labelOf: (fields: ReadonlyMap<string, string>) => string,
): Promise<number | null> => {
  const running = start(args, { env: {} })
  const call = await openPage(new URL((await running.waitForStderr(/http:\S+/)).trim()))
  const { tab, progress } = await call('/api/open', {})
  let { next } = progress as { next: number | null }
  while (next !== null) {
    const { fields } = (await call(`/api/steps/${next}`)) as {
      readonly fields: ReadonlyArray<{ readonly name: string; readonly text: string }>
    }
    const value = labelOf(new Map(fields.map(({ name, text }) => [name, text])))
    const answer = { kind: 'label', value }
    const written = await call('/api/answer', { tab, step: next, answer, note: '' })
    next = written.next as number | null
  }
  await call('/api/finish', { tab })
  return (await running.ended).code
}

const openPage = async (address: URL): Promise<LabelCall> => {
  const opened = await fetch(address, { redirect: 'manual' })
  const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? ''
  const page = await fetch(address.origin, { headers: { cookie } })
  const token = /svc-token" content="([^"]+)/.exec(await page.text())?.[1] ?? ''
  return async (path, body) => {
    const response = await fetch(address.origin + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { cookie, 'x-svc-token': token, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return (await response.json()) as Record<string, unknown>
  }
}

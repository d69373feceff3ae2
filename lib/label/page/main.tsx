import { render } from 'preact'
import { App } from './app'
import type { KeySwitch } from './controls'
import { PageModel, type SendMessage } from './model'

const token = document.querySelector<HTMLMetaElement>('meta[name="svc-token"]')?.content ?? ''
const root = document.getElementById('page') as HTMLElement

/** The time limit of a check. Other messages have none, because a slow disk may need long to write a table. */
const maxCheckMs = 2500

const send: SendMessage = async (path, body) => {
  const headers = { 'x-svc-token': token, 'content-type': 'application/json' }
  const signal = path === '/api/check' ? AbortSignal.timeout(maxCheckMs) : null
  const init = { method: 'POST', headers, body: JSON.stringify(body), signal }
  const response = await fetch(path, init)
  // Status 409 is a refusal with a reason, which the page shows.
  if (response.ok || response.status === 409) return response.json()
  throw new Error(`${path} returned ${response.status}`)
}
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** The cookie for single-key shortcuts. The local storage would forget it, because each session has its own port, and so its own origin. */
const keyCookie = 'svc-label-keys'
let hasKeys = !document.cookie.split('; ').includes(`${keyCookie}=off`)
const keys = (): KeySwitch => ({
  isOn: hasKeys,
  toggle: () => {
    hasKeys = !hasKeys
    // The age is a year, in seconds.
    // biome-ignore lint/suspicious/noDocumentCookie: older browsers lack the Cookie Store API
    document.cookie = `${keyCookie}=${hasKeys ? 'on' : 'off'}; SameSite=Strict; Max-Age=31536000; Path=/`
    showPage(model)
  },
})

const showPage = (shownModel: PageModel): void =>
  render(<App model={shownModel} state={shownModel.state} keys={keys()} />, root)
const model = new PageModel(send, sleep, showPage)

// The browser asks the person before it closes a page whose last answer could not be saved yet.
addEventListener('beforeunload', (event) => {
  if (model.state.saveProblem !== '') event.preventDefault()
})

// The text shows that it has the focus only if the Tab key put it there. Browsers would show it after any key.
addEventListener('keydown', ({ key }) => {
  document.documentElement.classList.toggle('by-tab', key === 'Tab')
})
addEventListener('pointerdown', () => document.documentElement.classList.remove('by-tab'))

showPage(model)
void model.open()
void model.watch()

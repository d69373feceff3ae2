import { render } from 'preact'
import { App } from './app'
import { PageModel, type SendMessage } from './model'

const token = document.querySelector<HTMLMetaElement>('meta[name="svc-token"]')?.content ?? ''
const root = document.getElementById('page') as HTMLElement

const send: SendMessage = async (path, body) => {
  const headers = { 'x-svc-token': token, 'content-type': 'application/json' }
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
  if (response.ok || response.status === 409) return response.json()
  throw new Error(`${path} returned ${response.status}`)
}
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
const model = new PageModel(send, sleep, () => show())
const show = (): void => render(<App model={model} state={model.state} />, root)

// The browser asks before it closes a page whose last answer is not written yet.
addEventListener('beforeunload', (event) => {
  if (model.state.waiting !== '') event.preventDefault()
})
show()
void model.open()

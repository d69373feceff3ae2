import { render } from 'preact'
import { App } from './app'
import { PageModel, type SendMessage } from './model'

const token = document.querySelector<HTMLMetaElement>('meta[name="svc-token"]')?.content ?? ''
const root = document.getElementById('page') as HTMLElement

const send: SendMessage = async (path, body) => {
  const headers = { 'x-svc-token': token, 'content-type': 'application/json' }
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
  // Status 409 is a refusal with a reason, which the page shows.
  if (response.ok || response.status === 409) return response.json()
  throw new Error(`${path} returned ${response.status}`)
}
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
const showPage = (model: PageModel): void => render(<App model={model} state={model.state} />, root)
const model = new PageModel(send, sleep, showPage)

// The browser asks the person before it closes a page whose last answer could not be saved yet.
addEventListener('beforeunload', (event) => {
  if (model.state.saveProblem !== '') event.preventDefault()
})
showPage(model)
void model.open()

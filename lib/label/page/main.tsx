import { render } from 'preact'
import { App } from './app'
import { createCalls } from './calls'
import { createPageModel } from './model'

const token = document.querySelector<HTMLMetaElement>('meta[name="svc-token"]')?.content ?? ''
const place = document.getElementById('page') as HTMLElement
const calls = createCalls(token, (path, init) => fetch(path, init))

/** Offers the answers since the start as a file. */
const download = async (): Promise<void> => {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([await calls.answers()], { type: 'text/csv' }))
  link.download = 'answers.csv'
  link.click()
}

const surroundings = {
  now: () => Date.now(),
  sleep: (ms: number) => new Promise<void>((done) => setTimeout(done, ms)),
}
const model = createPageModel(calls, surroundings, () => show())
const show = (): void => {
  render(<App model={model} state={model.state()} download={() => void download()} />, place)
}

// The browser asks before it closes a page whose last answer is not written yet.
addEventListener('beforeunload', (event) => {
  if (model.state().waiting !== '') event.preventDefault()
})
show()
void model.open()

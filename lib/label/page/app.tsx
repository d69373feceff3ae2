import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { LabelProgress, Opened, PageAnswer, PageQuestion, PageStep } from '../protocol'
import { layOutFields } from './fields'
import { digitKeys, findKeyAction, type KeyAction } from './keys'
import type { PageModel, PageState } from './model'

interface AppProps {
  readonly model: PageModel
  readonly state: PageState
  /** Downloads the answers since the start. */
  readonly download: () => void
}

/** The page of `svc label`: one row, one question, and the buttons of its answers. */
export const App = (props: AppProps) => {
  const { view, opened } = props.state
  if (opened === undefined || view.kind === 'loading')
    return <Message title="Loading…" text={props.state.waiting} />
  switch (view.kind) {
    case 'step':
      return <StepView key={view.step.step} {...props} opened={opened} step={view.step} />
    case 'all done':
      return <DoneView {...props} opened={opened} />
    case 'finished':
      return (
        <Message
          title="Thank you"
          text={`The labels are in ${opened.table}. You can close this tab.`}
        />
      )
    case 'stopped':
      return (
        <Message title="This tab has stopped" text={view.refusal.message}>
          {view.refusal.refusal === 'other tab' ? (
            <button type="button" onClick={props.model.open}>
              Go on in this tab
            </button>
          ) : (
            <button type="button" onClick={props.download}>
              Download the answers since the start
            </button>
          )}
        </Message>
      )
  }
}

const Message = ({
  title,
  text,
  children,
}: {
  title: string
  text: string
  children?: unknown
}) => (
  <main class="message">
    <h1>{title}</h1>
    <p role="status">{text}</p>
    {children as never}
  </main>
)

const DoneView = ({ model, state, opened }: AppProps & { readonly opened: Opened }) => (
  <main class="message">
    <h1>All done</h1>
    <p role="status">{describeEnd(state.progress ?? opened.progress)}</p>
    <p role="alert">{state.waiting}</p>
    <div class="row">
      <button type="button" class="main" onClick={model.finish}>
        Done
      </button>
      <button type="button" onClick={model.undo}>
        Undo the last answer
      </button>
    </div>
  </main>
)

const describeEnd = ({ labelled, left, again }: LabelProgress): string => {
  const rest = left === 0 ? '' : ` ${left} are still empty. They come up when you start again.`
  const twice =
    again === null ? '' : ` Shown twice, ${again.agree} of ${again.n} got the same label.`
  return `The table has ${labelled} labels.${rest}${twice}`
}

const StepView = (props: AppProps & { readonly opened: Opened; readonly step: PageStep }) => {
  const { model, state, opened, step } = props
  const question = opened.questions.find(({ id }) => id === step.question) as PageQuestion
  const [note, setNote] = useState('')
  const noteField = useRef<HTMLInputElement>(null)
  const text = useRef<HTMLElement>(null)

  const act = (action: KeyAction): void => {
    if (action.kind === 'note') noteField.current?.focus()
    else if (action.kind === 'undo') void model.undo()
    else void model.answer(action, note)
  }
  useLayoutEffect(() => text.current?.focus(), [])
  // Keys must work as soon as the row is there: an effect would wait for the next frame.
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      const isForText =
        event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey
      const action = findKeyAction({ key: event.key, isForText }, question)
      if (action === undefined) return
      event.preventDefault()
      act(action)
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  })
  return (
    <div class="desk">
      <Header state={state} opened={opened} />
      <main ref={text} class="text" tabIndex={-1} aria-label="The row to label">
        <Fields step={step} />
      </main>
      <section class="panel" aria-label="Your answer">
        <Problems state={state} />
        <h1>
          {question.text}
          {step.isAgain ? <small> (shown a second time)</small> : null}
        </h1>
        <Options question={question} onPick={act} />
        <div class="row tools">
          <ToolButton name="Skip" hint="s" onClick={() => act({ kind: 'skip' })} />
          <ToolButton name="Cannot tell" hint="?" onClick={() => act({ kind: 'cannot tell' })} />
          <ToolButton name="Undo" hint="u" onClick={() => act({ kind: 'undo' })} />
          <NoteField
            field={noteField}
            note={note}
            setNote={setNote}
            onLeave={() => text.current?.focus()}
          />
        </div>
      </section>
    </div>
  )
}

const Header = ({ state, opened }: { readonly state: PageState; readonly opened: Opened }) => {
  const { done, steps } = state.progress ?? opened.progress
  return (
    <header>
      <progress max={steps} value={done} aria-label="Labels done" />
      <p role="status" aria-live="polite">
        <span>
          {done + 1} of {steps}
        </span>
        <span>{state.timeLeft}</span>
      </p>
    </header>
  )
}

const Problems = ({ state: { waiting, notice } }: { readonly state: PageState }) => (
  <div class="problems" role="alert">
    {waiting === '' ? null : <p class="waiting">{waiting}</p>}
    {notice === '' ? null : <p>{notice}</p>}
  </div>
)

const Fields = ({ step }: { readonly step: PageStep }) => {
  const fields = layOutFields(step.fields)
  const [only] = fields
  if (only !== undefined && only.name === '') return <p class="only">{only.text}</p>
  return (
    <dl>
      {fields.map(({ name, text }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  )
}

interface OptionsProps {
  readonly question: PageQuestion
  readonly onPick: (answer: PageAnswer) => void
}

const Options = ({ question, onPick }: OptionsProps) => (
  <div class="options">
    {question.options.map(({ value, name, description }, i) => (
      <button
        type="button"
        key={value}
        aria-keyshortcuts={digitKeys[i]}
        onClick={() => onPick({ kind: 'label', value })}
      >
        {digitKeys[i] === undefined ? null : <kbd>{digitKeys[i]}</kbd>}
        <span>
          <strong>{name}</strong>
          {description === '' ? null : <small>{description}</small>}
        </span>
      </button>
    ))}
  </div>
)

interface ToolProps {
  readonly name: string
  readonly hint: string
  readonly onClick: () => void
}

const ToolButton = ({ name, hint, onClick }: ToolProps) => (
  <button type="button" class="tool" aria-keyshortcuts={hint} onClick={onClick}>
    {name} <kbd>{hint}</kbd>
  </button>
)

interface NoteProps {
  readonly field: { current: HTMLInputElement | null }
  readonly note: string
  readonly setNote: (note: string) => void
  readonly onLeave: () => void
}

const NoteField = ({ field, note, setNote, onLeave }: NoteProps) => (
  <input
    ref={field}
    class="note"
    type="text"
    maxLength={2000}
    value={note}
    aria-label="Note, key n"
    placeholder="Note (n)"
    onInput={(event) => setNote(event.currentTarget.value)}
    onKeyDown={(event) => {
      if (event.key !== 'Enter' && event.key !== 'Escape') return
      event.preventDefault()
      onLeave()
    }}
  />
)

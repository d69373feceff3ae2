import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { LabelProgress, PageAnswer, PageStep } from '../protocol'
import type { PageModel, PageState } from './model'

interface AppProps {
  readonly model: PageModel
  /** The state of the model that is rendered. */
  readonly state: PageState
}

/** The page of `svc label`: one row, one question, and a button for each answer. */
export const App = ({ model, state }: AppProps) => {
  const { opened, screen, stopReason, isFinished, saveProblem } = state
  if (opened === undefined || screen === undefined)
    return <Message title="Loading…" text={saveProblem} />
  if (isFinished)
    return (
      <Message
        title="Thank you"
        text={`The labels are in ${opened.table}. You can close this tab.`}
      />
    )
  if (stopReason !== undefined)
    return (
      <Message title="This tab has stopped" text={stopReason.message}>
        {stopReason.refusal === 'other tab' ? (
          <ActionButton name="Go on in this tab" run={() => void model.open()} />
        ) : (
          <a href="/answers.csv" download="answers.csv">
            Download the answers since the start
          </a>
        )}
      </Message>
    )
  const { progress, step } = screen
  if (step !== null)
    return <StepView key={step.index} model={model} state={state} progress={progress} step={step} />
  return <EndView model={model} progress={progress} saveProblem={saveProblem} />
}

interface EndProps extends Pick<AppProps, 'model'>, Pick<PageState, 'saveProblem'> {
  readonly progress: LabelProgress
}

const EndView = ({ model, progress, saveProblem }: EndProps) => {
  const undo: Action = {
    shortcut: 'u',
    name: 'Undo the last answer',
    run: () => void model.undo(),
  }
  useKeys([undo])
  return (
    <Message title="All done" text={describeEnd(progress)}>
      <p role="alert">{saveProblem}</p>
      <div class="tools">
        <ActionButton name="Done" run={() => void model.finish()} />
        <ActionButton {...undo} />
      </div>
    </Message>
  )
}

interface MessageProps {
  readonly title: string
  readonly text: string
  readonly children?: ComponentChildren
}

const Message = ({ title, text, children }: MessageProps) => (
  <main class="message">
    <h1>{title}</h1>
    <p role="status">{text}</p>
    {children}
  </main>
)

const describeEnd = ({ labelled, left, again }: LabelProgress): string => {
  // Rows of which the person cannot tell the label do not come up again.
  const emptyText =
    left === 0 ? '' : ` ${left} are still empty. Skipped ones come up when you start again.`
  const repeatText =
    again === null ? '' : ` Shown twice, ${again.agree} of ${again.n} got the same label.`
  return `The table has ${labelled} labels.${emptyText}${repeatText}`
}

interface StepProps extends AppProps {
  readonly progress: LabelProgress
  readonly step: PageStep
}

/** The action of a button or a key. */
interface Action {
  /** The value of `KeyboardEvent.key`. Answers after the tenth have no key. */
  readonly shortcut?: string | undefined
  readonly name: string
  readonly description?: string
  readonly run: () => void
}

/** The keys of the first ten answers, in the order of the keyboard. */
const digitKeys = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '0']

const StepView = ({ model, state, progress, step }: StepProps) => {
  const { done, steps } = progress
  const { question, isSecondShowing, fields } = step
  const noteField = useRef<HTMLInputElement>(null)
  const textElement = useRef<HTMLElement>(null)
  const focusText = (): void => textElement.current?.focus()
  const sendAnswer = (answer: PageAnswer): void =>
    void model.answer(answer, noteField.current?.value ?? '')

  const options: ReadonlyArray<Action> = question.options.map((option, i) => ({
    shortcut: digitKeys[i],
    name: option.name,
    description: option.description,
    run: () => sendAnswer({ kind: 'label', value: option.value }),
  }))
  const tools: ReadonlyArray<Action> = [
    { shortcut: 's', name: 'Skip', run: () => sendAnswer({ kind: 'skip' }) },
    { shortcut: '?', name: 'Cannot tell', run: () => sendAnswer({ kind: 'cannot tell' }) },
    { shortcut: 'u', name: 'Undo', run: () => void model.undo() },
  ]
  const note: Action = { shortcut: 'n', name: 'Note', run: () => noteField.current?.focus() }
  useKeys([...options, ...tools, note])
  // Screen readers read the row when it gets the focus.
  useLayoutEffect(focusText, [])

  return (
    <div class="step">
      <header>
        <progress max={steps} value={done} aria-label="Labels done" />
        <p role="status">
          <span>
            {done + 1} of {steps}
          </span>
          <span>{state.timeLeft}</span>
        </p>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long text must scroll by keyboard */}
      <main ref={textElement} class="text" tabIndex={0} aria-label="The row to label">
        <Fields fields={fields} />
      </main>
      <section class="panel" aria-label="Your answer">
        <div role="alert">
          {state.saveProblem === '' ? null : <p class="save-problem">{state.saveProblem}</p>}
          {state.notice === '' ? null : <p>{state.notice}</p>}
        </div>
        <h1>
          {question.text}
          {isSecondShowing ? <small> (shown a second time)</small> : null}
        </h1>
        <div class="options">{options.map(ActionButton)}</div>
        <div class="tools">
          {tools.map(ActionButton)}
          <input
            ref={noteField}
            maxLength={2000}
            aria-label="Note, key n"
            placeholder="Note (n)"
            onKeyDown={(event) => {
              if (event.key === 'Enter' || event.key === 'Escape') focusText()
            }}
          />
        </div>
      </section>
    </div>
  )
}

/** Runs an action when its key is pressed, except in the field for notes. A key that is held down runs it once. */
const useKeys = (actions: ReadonlyArray<Action>): void => {
  // This runs after each rendering, because the actions change. `useEffect` would wait for the next frame, but keys must work as soon
  // as the row is there.
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return
      if (event.target instanceof HTMLInputElement) return
      const action = actions.find(({ shortcut }) => shortcut === event.key)
      if (action === undefined) return
      event.preventDefault()
      action.run()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  })
}

const ActionButton = ({ shortcut, name, description, run }: Action) => (
  <button type="button" key={shortcut ?? name} aria-keyshortcuts={shortcut} onClick={run}>
    {shortcut === undefined ? null : <kbd>{shortcut}</kbd>}
    <span>
      {name}
      {description ? <small>{description}</small> : null}
    </span>
  </button>
)

const Fields = ({ fields }: Pick<PageStep, 'fields'>) => {
  const [firstField] = fields
  // The only field of a row has no name.
  if (firstField?.name === '') return <p>{firstField.text}</p>
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

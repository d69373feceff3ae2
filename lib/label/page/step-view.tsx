import { useLayoutEffect, useRef } from 'preact/hooks'
import type { PageAnswer, PageQuestion, PageStep } from '../protocol'
import { ActionButton, type KeySwitch, KeySwitchButton } from './controls'
import { Fields } from './fields'
import type { PageModel, PageState } from './model'
import { type Action, listAnswerKeys, useKeys } from './shortcuts'

interface StepViewProps {
  readonly model: PageModel
  readonly state: PageState
  readonly step: PageStep
  readonly questions: ReadonlyArray<PageQuestion>
  readonly keys: KeySwitch
}

/**
 * One row, with one question after the other. The answers to all questions lie on top of each other, and only those to the current one
 * are visible: the panel is as high as the highest of them, so neither the text nor the buttons move between two questions.
 */
export const StepView = ({ model, state, step, questions, keys }: StepViewProps) => {
  const { row, question: questionNumber } = step.position
  const noteField = useRef<HTMLInputElement>(null)
  const textElement = useRef<HTMLElement>(null)
  const answersElement = useRef<HTMLDivElement>(null)
  const focusText = (): void => textElement.current?.focus({ preventScroll: true })
  const sendAnswer = (answer: PageAnswer): void =>
    void model.answer(answer, noteField.current?.value ?? '')
  const listAnswers = (question: PageQuestion): ReadonlyArray<Action> => {
    const answerKeys = listAnswerKeys(question)
    return question.options.map(({ name, description, value }, i) => ({
      shortcut: keys.isOn ? answerKeys[i] : undefined,
      name,
      description,
      run: () => sendAnswer({ kind: 'label', value }),
    }))
  }
  const tools = listTools(model, sendAnswer)
  const note: Action = { shortcut: 'n', name: 'Note', run: () => noteField.current?.focus() }
  const question = questions[step.questionIndex]
  useKeys([...(question ? listAnswers(question) : []), ...tools, note], keys.isOn)

  // Screen readers read the row when it gets the focus.
  useLayoutEffect(() => {
    focusText()
    // On a small screen, the page scrolls as a whole.
    document.documentElement.scrollTop = 0
  }, [row])
  useLayoutEffect(() => {
    const answers = answersElement.current
    if (answers === null) return
    answers.scrollTop = 0
    // The button of the last answer is hidden now.
    const { activeElement } = document
    if (activeElement === document.body || answers.contains(activeElement)) focusText()
  }, [row, questionNumber])

  return (
    <div class="step">
      <Header state={state} step={step} keys={keys} />
      <div class="stack question" aria-live="polite">
        {questions.map(({ id, text }, i) => (
          <h1
            key={id}
            id={i === step.questionIndex ? 'question' : undefined}
            class={i === step.questionIndex ? undefined : 'hidden'}
            dir="auto"
          >
            {text}
            {step.isSecondShowing ? <small>shown a second time</small> : null}
          </h1>
        ))}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long text must scroll by keyboard */}
      <main key={row} ref={textElement} class="text" tabIndex={0}>
        <Fields step={step} />
      </main>
      <section class="panel" aria-labelledby="question">
        <Notices state={state} hasKeys={keys.isOn} />
        <div ref={answersElement} class="stack answers">
          {questions.map((entry, i) => (
            <div
              key={entry.id}
              class={`options ${entry.type} ${i === step.questionIndex ? '' : 'hidden'}`}
            >
              {listAnswers(entry).map((action, position) => (
                <ActionButton
                  key={entry.options[position]?.value}
                  {...action}
                  look={isUndone(step, i, entry.options[position]?.value) ? 'undone' : undefined}
                />
              ))}
            </div>
          ))}
        </div>
        <div class="tools">
          {tools.map((tool) => (
            <ActionButton
              key={tool.name}
              {...tool}
              shortcut={keys.isOn ? tool.shortcut : undefined}
            />
          ))}
          <label>
            {keys.isOn ? <kbd>n</kbd> : null} Note{' '}
            <input
              // A new element for each step, so that no note stays for the next one.
              key={`${step.index} ${step.undone !== null}`}
              ref={noteField}
              maxLength={2000}
              dir="auto"
              defaultValue={step.undone?.note ?? ''}
              onKeyDown={(event) => {
                if (event.key === 'Enter' || event.key === 'Escape') focusText()
              }}
            />
          </label>
        </div>
      </section>
    </div>
  )
}

const listTools = (
  model: PageModel,
  sendAnswer: (answer: PageAnswer) => void,
): ReadonlyArray<Action> => [
  { shortcut: 's', name: 'Skip', run: () => sendAnswer({ kind: 'skip' }) },
  { shortcut: '?', name: 'Cannot tell', run: () => sendAnswer({ kind: 'cannot tell' }) },
  { shortcut: 'u', name: 'Undo', run: () => void model.undo() },
]

/** Checks if the person has just taken back this answer to this question. */
const isUndone = (
  { questionIndex, undone }: PageStep,
  index: number,
  value: string | undefined,
): boolean =>
  index === questionIndex && undone?.answer.kind === 'label' && undone.answer.value === value

type HeaderProps = Pick<StepViewProps, 'state' | 'step' | 'keys'>

const Header = ({ state, step, keys }: HeaderProps) => {
  const { done, steps } = state.screen?.progress ?? { done: 0, steps: 0 }
  const { row, rows, question, questions } = step.position
  const questionText = questions === 1 ? '' : `, question ${question} of ${questions}`
  return (
    <header>
      <progress max={steps} value={done} aria-labelledby="place" />
      <p>
        <span id="place">{`Row ${row} of ${rows}${questionText}`}</span>
        <span dir="auto">{step.id}</span>
        <span class="end">{state.timeLeft}</span>
        <KeySwitchButton {...keys} />
      </p>
    </header>
  )
}

interface NoticesProps {
  readonly state: PageState
  readonly hasKeys: boolean
}

/** Reports the last answer in a line of fixed height, or why an answer cannot be saved. */
const Notices = ({ state, hasKeys }: NoticesProps) => {
  const { notice, isUndoable, saveProblem, connectionProblem } = state
  const remedy = isUndoable ? ` ${hasKeys ? 'u' : 'Undo'} takes it back.` : ''
  return (
    <>
      <p role="alert" class="problem">
        {saveProblem || connectionProblem}
      </p>
      <p role="status" class="notice" dir="auto">
        {saveProblem === '' ? notice + remedy : ''}
      </p>
    </>
  )
}

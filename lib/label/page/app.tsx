import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { LabelProgress, OpenedPage, QuestionSummary, RefusalMessage } from '../protocol'
import { ActionButton, type KeySwitch } from './controls'
import type { PageModel, PageState } from './model'
import { type Action, useKeys } from './shortcuts'
import { StepView } from './step-view'

interface AppProps {
  readonly model: PageModel
  /** The state of the model that is rendered. */
  readonly state: PageState
  readonly keys: KeySwitch
}

/** The page of `svc label`: one row, one question, and a button for each answer. */
export const App = ({ model, state, keys }: AppProps) => {
  const { opened, screen, stopReason, isFinished, saveProblem } = state
  // The page stays empty until the first row is there, so that nothing moves then.
  if (opened === undefined || screen === undefined)
    return saveProblem === '' ? (
      <main />
    ) : (
      <Message title="Loading">
        <p role="alert">{saveProblem}</p>
      </Message>
    )
  if (isFinished)
    return (
      <Message title="Thank you">
        <p role="status">The labels are in {opened.table}. You can close this tab.</p>
        <NextCommand opened={opened} />
      </Message>
    )
  if (stopReason !== undefined) return <StopView model={model} stopReason={stopReason} />
  const { step } = screen
  if (step !== null)
    return (
      <StepView model={model} state={state} step={step} questions={opened.questions} keys={keys} />
    )
  return <EndView model={model} state={state} opened={opened} keys={keys} />
}

interface MessageProps {
  readonly title: string
  readonly children?: ComponentChildren
}

const Message = ({ title, children }: MessageProps) => (
  <main class="message">
    <h1>{title}</h1>
    {children}
  </main>
)

const NextCommand = ({ opened: { nextCommand } }: { readonly opened: OpenedPage }) => (
  <p>
    Next, with the name of your run: <code>{nextCommand}</code>
  </p>
)

interface StopViewProps {
  readonly model: PageModel
  readonly stopReason: RefusalMessage
}

const StopView = ({ model, stopReason }: StopViewProps) => {
  const { refusal, message, answers } = stopReason
  const goOn = (): void => void model.open().then(() => model.check())
  if (refusal === 'other tab')
    return (
      <Message title="This tab has stopped">
        <p role="alert">{message}</p>
        <ActionButton name="Go on in this tab" run={goOn} />
      </Message>
    )
  return (
    <Message title="This tab has stopped">
      <p role="alert">{`${message} ${describeAnswers(answers)}`}</p>
      <ol>
        <li>
          <a href="/answers.csv" download="answers.csv">
            Download the answers since the start
          </a>
        </li>
        <li>
          End svc label with Ctrl-C and start it again. It reads the changed table, and continues at
          the first empty cell.
        </li>
        <li>Copy what the table lacks from the download.</li>
      </ol>
      <p>If the table is as it was, you can go on here.</p>
      <ActionButton name="Try again" run={goOn} />
    </Message>
  )
}

const describeAnswers = (count: number): string => {
  if (count === 0) return 'No answer of yours is lost.'
  return count === 1
    ? 'One answer since the start waits in the download.'
    : `${count} answers since the start wait in the download.`
}

interface EndViewProps extends AppProps {
  readonly opened: OpenedPage
}

const EndView = ({ model, state, opened, keys }: EndViewProps) => {
  const { saveProblem, connectionProblem, screen } = state
  const doneButton = useRef<HTMLButtonElement>(null)
  const undo: Action = {
    shortcut: keys.isOn ? 'u' : undefined,
    name: 'Undo the last answer',
    run: () => void model.undo(),
  }
  useKeys([undo], keys.isOn)
  useLayoutEffect(() => doneButton.current?.focus(), [])
  const { counts, skipped } = screen?.end ?? { counts: [], skipped: 0 }
  return (
    <Message title="All done">
      {screen === undefined ? null : <p role="status">{describeEnd(screen.progress)}</p>}
      {counts.map((questionCounts) => (
        <CountTable key={questionCounts.question} counts={questionCounts} />
      ))}
      <p>
        The labels are in <code>{opened.table}</code>
      </p>
      <NextCommand opened={opened} />
      <p role="alert" class="problem">
        {saveProblem || connectionProblem}
      </p>
      <div class="tools">
        <ActionButton
          name="Done"
          look="main-action"
          buttonRef={doneButton}
          run={() => void model.finish()}
        />
        {skipped === 0 ? null : (
          <ActionButton
            name={`Go through the skipped rows (${skipped})`}
            run={() => void model.revisit()}
          />
        )}
        <ActionButton {...undo} />
      </div>
    </Message>
  )
}

const describeEnd = ({ labelled, left, again }: LabelProgress): string => {
  const labels = labelled === 1 ? '1 label' : `${labelled} labels`
  const empty = left === 0 ? '' : ` ${left} ${left === 1 ? 'cell is' : 'cells are'} still empty.`
  const repeatText =
    again === null ? '' : ` Shown twice, ${again.agree} of ${again.n} got the same label.`
  return `The table has ${labels}.${empty}${repeatText}`
}

const CountTable = ({ counts }: { readonly counts: QuestionSummary }) => {
  const { question, answers, cannotTell, empty } = counts
  const others = [
    { name: 'cannot tell', count: cannotTell },
    { name: 'still empty', count: empty },
  ].filter(({ count }) => count > 0)
  return (
    <table>
      <caption dir="auto">{question}</caption>
      <tbody>
        {[...answers, ...others].map(({ name, count }) => (
          <tr key={name}>
            <th scope="row" dir="auto">
              {name}
            </th>
            <td>{count}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

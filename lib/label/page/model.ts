import type { LabelProgress, Opened, PageAnswer, PageStep, RefusalMessage } from '../protocol'
import type { LabelCalls } from './calls'
import { createPace } from './pace'

export type PageView =
  | { readonly kind: 'loading' }
  | { readonly kind: 'step'; readonly step: PageStep }
  | { readonly kind: 'all done' }
  | { readonly kind: 'finished' }
  | { readonly kind: 'stopped'; readonly refusal: RefusalMessage }

/** The state of the page. `waiting` says why an answer is not written yet, and is `''` if all are. */
export interface PageState {
  readonly view: PageView
  readonly opened: Opened | undefined
  readonly progress: LabelProgress | undefined
  readonly waiting: string
  readonly notice: string
  readonly timeLeft: string
}

export interface PageSurroundings {
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
}

/** The page without its looks: it holds the state and makes the calls. */
export interface PageModel {
  readonly state: () => PageState
  readonly open: () => Promise<void>
  readonly answer: (answer: PageAnswer, note: string) => Promise<void>
  readonly undo: () => Promise<void>
  readonly finish: () => Promise<void>
}

/** The pause before a call is tried again. */
const retryMs = 1000

const unreachable =
  'Not saved yet: svc label does not answer. It is tried again every second. If you stopped svc label, start it again and open its new address.'

/**
 * Creates the page's model. To lose no answer, it sends each one again until the server has written it, and ignores
 * the person until then. `onChange` runs after each change of the state.
 */
export const createPageModel = (
  calls: LabelCalls,
  { now, sleep }: PageSurroundings,
  onChange: () => void,
): PageModel => {
  const pace = createPace()
  let isBusy = false
  let ahead: Promise<PageStep> | undefined
  let state: PageState = {
    view: { kind: 'loading' },
    opened: undefined,
    progress: undefined,
    waiting: '',
    notice: '',
    timeLeft: '',
  }
  const set = (changes: Partial<PageState>): void => {
    state = { ...state, ...changes }
    onChange()
  }

  /** Repeats a call every second until the server answers, and until it can write. */
  const insist = async <A extends object>(call: () => Promise<A | RefusalMessage>) => {
    for (;;) {
      try {
        const result = await call()
        if (!('refusal' in result) || result.refusal !== 'not written') {
          set({ waiting: '' })
          return result
        }
        set({ waiting: `Not saved yet. ${result.message} It is tried again every second.` })
      } catch {
        set({ waiting: unreachable })
      }
      await sleep(retryMs)
    }
  }

  const loadStep = async (place: number): Promise<PageStep> => {
    const known = await ahead?.catch(() => undefined)
    if (known?.step === place) return known
    return (await insist(() => calls.step(place))) as PageStep
  }
  const show = async (progress: LabelProgress, place = progress.next): Promise<void> => {
    if (place === null) return set({ progress, view: { kind: 'all done' } })
    const step = await loadStep(place)
    ahead = place + 1 < progress.steps ? calls.step(place + 1) : undefined
    ahead?.catch(() => undefined)
    const timeLeft = pace.describe(progress.steps - progress.done)
    set({ progress, timeLeft, view: { kind: 'step', step } })
  }

  /** Does one thing at a time. Ignores requests that come meanwhile. */
  const alone = async (work: (tab: number) => Promise<void>): Promise<void> => {
    if (isBusy || state.opened === undefined) return
    isBusy = true
    try {
      await work(state.opened.tab)
    } finally {
      isBusy = false
    }
  }
  const stop = (refusal: RefusalMessage): void => {
    if (refusal.refusal === 'bad request') set({ notice: refusal.message })
    else set({ view: { kind: 'stopped', refusal } })
  }

  return {
    state: () => state,
    open: async () => {
      const opened = (await insist(calls.open)) as Opened
      const notice = opened.tookOver
        ? 'Another tab had this table open. This tab goes on from here.'
        : ''
      set({ opened, notice })
      await show(opened.progress)
    },
    answer: (answer, note) =>
      alone(async (tab) => {
        const { view } = state
        if (view.kind !== 'step') return
        pace.note(now())
        const result = await insist(() => calls.answer({ tab, step: view.step.step, answer, note }))
        if ('refusal' in result) return stop(result)
        set({ notice: '' })
        await show(result)
      }),
    undo: () =>
      alone(async (tab) => {
        const result = await insist(() => calls.undo(tab))
        if ('refusal' in result) return stop(result)
        set({ notice: 'The last answer was taken back.' })
        await show(result.progress, result.step)
      }),
    finish: () =>
      alone(async (tab) => {
        const result = await insist(() => calls.finish(tab))
        if ('refusal' in result) return stop(result)
        set({ view: { kind: 'finished' } })
      }),
  }
}

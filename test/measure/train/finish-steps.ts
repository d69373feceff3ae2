import type { Steps } from '../../../lib/measure/statistics/logistic/minimize'

/** Runs a computation to its end, and returns its result. */
export const finishSteps = <A>(steps: Steps<A>): A => {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

// The questions that `svc review` asks about each unit: a section of the spec with its implementation and tests. The type `noul` is
// a yes/no question; its answer is the probability of yes.
import { toJson } from '../codec/json/draft'
import type { RequestQuestion } from '../codec/question'

type NamedQuestion = readonly [id: string, question: RequestQuestion]

const contradictionQuestion: RequestQuestion = {
  type: 'noul',
  instructions:
    'Does the code in `implementation` contradict a requirement of `spec`? Count actual ' +
    'conflicts only: a different default, a different error type, a different field name on ' +
    'the wire, the opposite behavior. Disregard what the code leaves out and what `spec` ' +
    'does not specify.',
  criteria: {
    true: 'At least one statement of `spec` is contradicted by `implementation`.',
    false: '`implementation` is consistent with every statement of `spec` it addresses.',
  },
}

const thoroughnessQuestion: RequestQuestion = {
  type: 'score',
  instructions: 'How thoroughly do `tests` cover the behaviors that `spec` requires?',
  criteria: [
    'No test exercises the required behaviors.',
    'Only the success path is tested.',
    'The success path and the error cases of `spec` are tested.',
    'Boundary, cancellation or concurrency conditions are tested as well.',
  ],
}

const weakestAreaQuestion: RequestQuestion = {
  type: 'choice',
  instructions:
    'Which area do `tests` cover least, relative to what `spec` requires? Choose `none` if ' +
    'coverage is even.',
  criteria: Object.entries({
    validation: 'Checks of the input, and the error paths when they fail',
    error_mapping: 'Turning failures of dependencies into the error types that are exposed',
    retry: 'Backoff, retry limits, budgets and cancellation',
    decoding: 'Turning input or response data into typed values',
    encoding: 'Turning typed values into output or wire formats',
    logging: 'What is logged and what must not be',
    none: 'No area stands out',
  }),
}

const createCoverageQuestion = (behavior: string): RequestQuestion => ({
  type: 'noul',
  instructions: toJson({
    question: 'Do `tests` exercise this behavior?',
    behavior,
    guidance:
      'Answer yes only if at least one test would fail were the behavior removed or broken. ' +
      'A test that only mentions the feature does not count.',
  }),
})

/** Formats the id of the question about the behavior at `index`, such as `covers_03`. */
export const formatCoverageId = (index: number): string =>
  `covers_${String(index).padStart(2, '0')}`

/** Creates the questions about a unit with these behaviors. */
export const createReviewQuestions = (
  behaviors: ReadonlyArray<string>,
): ReadonlyArray<NamedQuestion> => [
  ...behaviors.map(
    (behavior, index): NamedQuestion => [formatCoverageId(index), createCoverageQuestion(behavior)],
  ),
  ['contradicts_spec', contradictionQuestion],
  ['thoroughness', thoroughnessQuestion],
  ['weakest_area', weakestAreaQuestion],
]

import * as E from 'fp-ts/Either'
import * as O from 'fp-ts/Option'
import type { Clock } from '../../../runtime/runtime'
import { createWorkQueue } from '../../../runtime/work-queue'
import type { AnsweringEngine } from '../../contract/engine'
import { cancelled, type ReadoutOptions, readAnswers } from '../readout/answers'
import { maxLetters } from '../readout/letters'
import { formatPrefix } from '../readout/prompt'
import type { LocalModel } from './load-model'
import { readPrompt } from './read-prompt'

/**
 * Creates the engine that runs a language model in this process and reads its answers as letters, as the `chat` engine does. It
 * answers one request after the other, so the model reads each state once. The holders of API keys take turns. The library computes
 * on its own threads, so the event loop stays free.
 */
export const createLocalEngine = (
  localModel: LocalModel,
  options: ReadoutOptions,
  clock: Clock,
): AnsweringEngine => {
  const queue = createWorkQueue(1, Number.POSITIVE_INFINITY)
  return {
    kind: 'answering',
    name: 'local',
    model: {
      name: localModel.name,
      description: 'A language model in this process, read by the probabilities of one letter.',
      // svc does not know the model's date, so this is the time of the start.
      release_date: new Date(clock.now()).toISOString(),
    },
    answer:
      ({ state, questions }, { signal, holderId }) =>
      async () => {
        const prefix = formatPrefix(state)
        const complete = (promptEnd: string, promptSignal: AbortSignal) => () =>
          readPrompt(localModel, prefix + promptEnd, promptSignal)
        const preparedModel = { complete, maxConcurrent: 1, maxOptions: maxLetters }
        const answerAll = readAnswers(questions, options, preparedModel, signal)
        // None if the request is aborted before its turn.
        const answer = await queue.run(signal, answerAll, holderId)
        return O.isSome(answer) ? answer.value : E.left(cancelled)
      },
    close: localModel.close,
  }
}

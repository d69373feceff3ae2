import * as E from 'fp-ts/Either'
import * as TE from 'fp-ts/TaskEither'
import { nodeFiles } from '../../../runtime/node/files'
import type { Files } from '../../../runtime/runtime'
import type { AnsweringEngine, EngineAnswer } from '../../contract/engine'
import type { OpenEngine } from '../../contract/engine-settings'
import { answerInSteps, readRequestTexts } from './answer-in-steps'
import { runInTurns } from './run-in-turns'
import { loadVectorTable, tableName } from './vector-table'

const usage: EngineAnswer['usage'] = { input_tokens: null, output_tokens: null }

/**
 * Opens the engine that compares the meanings of words. It never fails. It reads its table past the runtime of the command, because the
 * table is a part of the program: `--record` must not take it for an input.
 */
export const openEmbedded: OpenEngine<AnsweringEngine> = () =>
  TE.right(createEmbeddedEngine(nodeFiles))

/**
 * Creates the engine. It reads its table of vectors at the first question. All engines of a process share the table. The same request
 * always gets the same answer. The engine counts no tokens.
 */
export const createEmbeddedEngine = (files: Pick<Files, 'read'>): AnsweringEngine => ({
  kind: 'answering',
  name: 'embedded',
  takesOneRequest: true,
  model: {
    name: tableName,
    description: 'Compares the meanings of words, in process. Knows topics, but no logic.',
    release_date: '2026-11-28T00:00:00+00:00',
  },
  answer:
    (request, { compute }) =>
    async () => {
      const texts = E.flatten(await compute(() => readRequestTexts(request))())
      if (E.isLeft(texts)) return texts
      const table = await loadVectorTable(files)
      const answers = await runInTurns(answerInSteps(texts.right, table), compute)
      return E.isLeft(answers) ? answers : E.right({ answers: answers.right, usage })
    },
  close: async () => {},
})

import * as E from 'fp-ts/Either'
import type { DetailEntry } from '../../../codec/request-faults'
import type { OwnModel, OwnQuestion } from '../../../measure/train/own-model'
import { digestQuestions } from '../../../runs/record/record'
import type { EngineQuestion, EngineRequest } from '../../contract/engine'
import { abbreviate, invalidDocument, type Problem } from '../../contract/problem'

/**
 * Checks that a model was trained for the questions of a request: for each of them by itself, or for all of them together. Fails with 422
 * that names the others.
 */
export const checkTrained = (
  { questions }: Pick<OwnModel, 'questions'>,
  asked: EngineRequest['questions'],
): E.Either<Problem, void> => {
  const digest = digestQuestions(asked)
  const isTrained = ([id, question]: EngineRequest['questions'][number]): boolean => {
    const trained = questions.get(id)
    if (trained === undefined || !hasLabels(trained, question)) return false
    return trained.sha256 === undefined
      ? trained.questionsSha256 === digest
      : trained.sha256 === digestQuestions([[id, question]])
  }
  const others = asked.filter((entry) => !isTrained(entry))
  return others.length === 0
    ? E.right(undefined)
    : E.left(invalidDocument(others.map(([id]) => createFault(id, questions))))
}

/** Returns `true` if a question lists all labels that its model can answer with. */
const hasLabels = ({ type, labels }: OwnQuestion, question: EngineQuestion): boolean => {
  if (question.type !== type) return false
  if (question.type === 'noul') return true
  const listed = listQuestionLabels(question)
  return labels.every((label) => listed.includes(label))
}

/** Lists the labels of a question, or the numbers of its levels. */
export const listQuestionLabels = (question: EngineQuestion): ReadonlyArray<string> => {
  switch (question.type) {
    case 'noul':
      return ['no', 'yes']
    case 'choice':
      return question.criteria.map(([label]) => label)
    case 'score':
      return question.criteria.map((_, level) => String(level))
  }
}

const createFault = (id: string, questions: OwnModel['questions']): DetailEntry => {
  const trained = questions.get(id)
  const reason =
    trained === undefined
      ? 'the model was not trained for this question'
      : `the model was trained for another question of this name${
          trained.sha256 === undefined ? ', or with other questions beside it' : ''
        }`
  return {
    loc: ['body', 'questions', abbreviate(id)],
    msg: reason,
    type: 'value',
  }
}

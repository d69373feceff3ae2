import * as E from 'fp-ts/Either'
import { tokensOf } from '../gate/tokens'

/** The path of a figure, such as `tone.accuracy`. */
export interface FigurePath {
  readonly question: string
  readonly figure: string
}

/** Reads a path such as `tone.accuracy` or `["very odd"].ece`; `undefined` for anything else. R14 */
export const parseFigurePath = (path: string): FigurePath | undefined => {
  const tokens = tokensOf(path)
  if (E.isLeft(tokens)) return undefined
  const list = tokens.right
  const kinds = list.map(({ kind, value }) => (kind === 'sign' ? value : kind)).join(' ')
  const [question, figure] = list.filter(({ kind }) => kind === 'word' || kind === 'text')
  const isPath = kinds === 'word . word end' || kinds === '[ text ] . word end'
  return isPath && question && figure
    ? { question: question.value, figure: figure.value }
    : undefined
}

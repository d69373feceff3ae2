import * as E from 'fp-ts/Either'
import * as RA from 'fp-ts/ReadonlyArray'
import { type Failure, usage } from '../../failure/failure'
import { suggest } from '../../failure/suggestion'
import { tokenizeExpression } from '../../runs/gate/tokens'
import type { Evaluation } from './evaluation'
import { neverWithInterval, type QuestionFigures } from './figures'

/** A limit on a figure: `--min <id>.<figure>=<x>` or `--max …`. */
export interface Limit {
  readonly flag: '--min' | '--max'
  /** The value of the flag. */
  readonly text: string
  readonly question: string
  readonly figure: string
  readonly value: number
}

/** Parses the values of `--min` or `--max`. Fails with a usage error. */
export const parseLimits = (
  flag: Limit['flag'],
  texts: ReadonlyArray<string>,
): E.Either<Failure, ReadonlyArray<Limit>> => E.traverseArray(parseLimit(flag))(texts)

const parseLimit =
  (flag: Limit['flag']) =>
  (text: string): E.Either<Failure, Limit> => {
    const equals = text.lastIndexOf('=')
    const path = parseFigurePath(text.slice(0, Math.max(0, equals)))
    const number = text.slice(equals + 1)
    const isNumber = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(number)
    return path === undefined || !isNumber
      ? E.left(usage(`${flag} ${JSON.stringify(text)}: expected <question>.<figure>=<number>`))
      : E.right({ flag, text, ...path, value: Number(number) })
  }

/**
 * Parses a path such as `tone.accuracy`, `["very odd"].ece` or `tone["very angry"]`; `undefined` if it is invalid.
 */
const parseFigurePath = (path: string): Pick<Limit, 'question' | 'figure'> | undefined => {
  const tokens = tokenizeExpression(path)
  if (E.isLeft(tokens)) return undefined
  const list = tokens.right
  const kinds = list.map(({ kind, value }) => (kind === 'sign' ? value : kind)).join(' ')
  const [question, figure] = list.filter(({ kind }) => kind === 'word' || kind === 'text')
  const isPath = /^(word|\[ text \]) (\. word|\[ text \]) end$/.test(kinds)
  return isPath && question && figure
    ? { question: question.value, figure: figure.value }
    : undefined
}

/**
 * Describes each limit that is not met. Fails with a usage error if a limit names an unknown question or
 * figure.
 */
export const findUnmet = (
  limits: ReadonlyArray<Limit>,
  { questions }: Evaluation,
): E.Either<Failure, ReadonlyArray<string>> => {
  const check = (limit: Limit): E.Either<Failure, ReadonlyArray<string>> => {
    const { flag, text, question, figure } = limit
    const refuse = (what: string, name: string, known: ReadonlyArray<string>) =>
      E.left(usage(`${flag} ${JSON.stringify(text)}: no ${what} "${name}"${suggest(name, known)}`))
    const figures = questions.get(question)
    if (figures === undefined) return refuse('question', question, [...questions.keys()])
    const names = [...countNames, ...Object.keys(figures.figures)]
    if (!names.includes(figure)) return refuse('figure', figure, names)
    const why = explainUnmet(limit, figures)
    return E.right(why === undefined ? [] : [`${flag} ${text} (${why})`])
  }
  return E.map(RA.flatten<string>)(E.traverseArray(check)(limits))
}

/**
 * Explains why a limit is not met; `undefined` if it is met. The worse end of the interval is compared, or the figure itself if
 * figures of that name never have an interval. Null, and a figure whose interval is missing, never meet a limit.
 */
const explainUnmet = (
  { flag, figure, value }: Limit,
  measured: QuestionFigures,
): string | undefined => {
  const actual = listCounts(measured)[figure] ?? measured.figures[figure] ?? null
  if (actual === null) return `${figure} is null: ${measured.why[figure]}`
  const interval = measured.intervals[figure]
  if (interval === undefined && !neverWithInterval.has(figure))
    return `${figure} has no interval: ${measured.why[figure]}`
  const { low, high } = interval ?? { low: actual, high: actual }
  const isMet = flag === '--min' ? low >= value : high <= value
  if (isMet) return undefined
  const format = (number: number): string => String(Number(number.toPrecision(6)))
  return interval === undefined
    ? `${figure} is ${format(actual)}`
    : `${figure} is ${format(actual)}, from ${format(low)} to ${format(high)}`
}

const listCounts = ({
  n,
  refused,
  evidence,
}: QuestionFigures): Readonly<Record<string, number>> => ({
  n,
  n_effective: evidence.nEffective,
  groups: evidence.groups ?? n,
  refused,
})

const countNames = ['n', 'n_effective', 'groups', 'refused']

import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../failure/failure'
import { tokenizeExpression } from '../../runs/gate/tokens'
import { suggest } from '../../text/suggestion'
import type { Interval } from '../statistics/intervals'
import type { Evaluation } from './evaluation'
import { neverWithInterval, type QuestionFigures } from './figures'

/** A limit on a figure: `--min <question>.<figure>=<number>`, or the same with `--max`. */
export interface Limit {
  readonly flag: '--min' | '--max'
  /** The text after the flag. */
  readonly text: string
  readonly question: string
  /** The figure; for `svc share`, the label whose share is limited, or `mean`. */
  readonly figure: string
  readonly value: number
}

/** Parses the values of `--min` or `--max`. Fails with a usage error. */
export const parseLimits = (
  flag: Limit['flag'],
  texts: ReadonlyArray<string>,
): E.Either<Failure, ReadonlyArray<Limit>> => {
  const limits: Limit[] = []
  for (const text of texts) {
    const equalsOffset = text.lastIndexOf('=')
    // Without `=`, the offset is −1, and the path is empty, which is invalid.
    const path = parseFigurePath(text.slice(0, Math.max(0, equalsOffset)))
    const valueText = text.slice(equalsOffset + 1)
    // For example `0.8`, `.8`, `-1` or `1e-3`.
    const isNumber = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(valueText)
    if (path === undefined || !isNumber)
      return E.left(usage(`${flag} ${JSON.stringify(text)}: expected <question>.<figure>=<number>`))
    limits.push({ flag, text, ...path, value: Number(valueText) })
  }
  return E.right(limits)
}

/** Parses a path such as `tone.accuracy`, `["very odd"].ece` or `tone["very angry"]`; `undefined` if it is invalid. */
const parseFigurePath = (path: string): Pick<Limit, 'question' | 'figure'> | undefined => {
  const tokenized = tokenizeExpression(path)
  if (E.isLeft(tokenized)) return undefined
  const tokens = tokenized.right
  // For example `word . word end` for `tone.accuracy`.
  const kinds = tokens.map(({ kind, value }) => (kind === 'sign' ? value : kind)).join(' ')
  const [question, figure] = tokens.filter(({ kind }) => kind === 'word' || kind === 'text')
  const isPath = /^(word|\[ text \]) (\. word|\[ text \]) end$/.test(kinds)
  return isPath && question && figure
    ? { question: question.value, figure: figure.value }
    : undefined
}

/** The counts of a question that limits can name besides its figures. */
const countNames = ['n', 'n_effective', 'groups', 'refused']

/** Describes each limit that is not met. Fails with a usage error if a limit names an unknown question or figure. */
export const findUnmet = (
  limits: ReadonlyArray<Limit>,
  { questions }: Evaluation,
): E.Either<Failure, ReadonlyArray<string>> =>
  describeUnmetLimits(limits, (limit) => {
    const question = questions.get(limit.question)
    if (question === undefined)
      return E.left(createUnknownNameFailure(limit, 'question', [...questions.keys()]))
    const names = [...countNames, ...Object.keys(question.figures)]
    return names.includes(limit.figure)
      ? E.right(explainUnmetFigure(limit, question))
      : E.left(createUnknownNameFailure(limit, 'figure', names))
  })

/** Describes each limit that is not met. `explainUnmet` returns the reason; `undefined` for a limit that is met. */
export const describeUnmetLimits = (
  limits: ReadonlyArray<Limit>,
  explainUnmet: (limit: Limit) => E.Either<Failure, string | undefined>,
): E.Either<Failure, ReadonlyArray<string>> => {
  const unmet: string[] = []
  for (const limit of limits) {
    const reason = explainUnmet(limit)
    if (E.isLeft(reason)) return reason
    if (reason.right !== undefined) unmet.push(`${limit.flag} ${limit.text} (${reason.right})`)
  }
  return E.right(unmet)
}

/** Creates a usage error for a question, figure or label of a limit that the run does not have. Suggests one of `knownNames`. */
export const createUnknownNameFailure = (
  { flag, text, question, figure }: Limit,
  kind: 'question' | 'figure' | 'label',
  knownNames: ReadonlyArray<string>,
): Failure => {
  const name = kind === 'question' ? question : figure
  return usage(`${flag} ${JSON.stringify(text)}: no ${kind} "${name}"${suggest(name, knownNames)}`)
}

/** Explains why a limit is not met; `undefined` if it is met. A figure that is null, or whose interval is missing, does not meet it. */
const explainUnmetFigure = (limit: Limit, question: QuestionFigures): string | undefined => {
  const { figure } = limit
  const value = listCounts(question)[figure] ?? question.figures[figure] ?? null
  if (value === null) return `${figure} is null: ${question.reasons[figure]}`
  const interval = question.intervals[figure]
  return interval === undefined && !neverWithInterval.has(figure)
    ? `${figure} has no interval: ${question.reasons[figure]}`
    : explainUnmetValue(limit, figure, value, interval)
}

/** Returns the values of `countNames`. A run without groups has as many groups as labelled rows. */
const listCounts = ({
  labelledRows,
  rows,
  evidence,
}: QuestionFigures): Readonly<Record<string, number>> => ({
  n: labelledRows,
  n_effective: evidence.effectiveRows,
  groups: evidence.groupCount ?? labelledRows,
  refused: rows.refusalCount,
})

/**
 * Explains why a value does not meet a limit; `undefined` if it does. `--min` is compared with the lower end of the interval,
 * `--max` with the upper end. Without an interval, the limit is compared with the value.
 */
export const explainUnmetValue = (
  limit: Limit,
  name: string,
  value: number,
  interval: Interval | undefined,
): string | undefined => {
  const { low, high } = interval ?? { low: value, high: value }
  const isMet = limit.flag === '--min' ? low >= limit.value : high <= limit.value
  if (isMet) return undefined
  const formatSixDigits = (number: number): string => String(Number(number.toPrecision(6)))
  const range = `, from ${formatSixDigits(low)} to ${formatSixDigits(high)}`
  return `${name} is ${formatSixDigits(value)}${interval === undefined ? '' : range}`
}

import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../failure/failure'
import { suggest } from '../../failure/suggestion'
import { tokenizeExpression } from '../../runs/gate/tokens'
import type { Evaluation } from './evaluation'
import { neverWithInterval, type QuestionFigures } from './figures'

/** A limit on a figure: `--min <question>.<figure>=<number>` or `--max …`. */
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

/**
 * Parses a path such as `tone.accuracy`, `["very odd"].ece` or `tone["very angry"]`; `undefined` if it is invalid.
 */
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
): E.Either<Failure, ReadonlyArray<string>> => {
  const unmet: string[] = []
  for (const limit of limits) {
    const { question, figure } = limit
    const measured = questions.get(question)
    if (measured === undefined)
      return E.left(createUnknownNameFailure(limit, 'question', question, [...questions.keys()]))
    const names = [...countNames, ...Object.keys(measured.figures)]
    if (!names.includes(figure))
      return E.left(createUnknownNameFailure(limit, 'figure', figure, names))
    const reason = explainUnmet(limit, measured)
    if (reason !== undefined) unmet.push(`${limit.flag} ${limit.text} (${reason})`)
  }
  return E.right(unmet)
}

/** Creates a usage error for a name in a limit that the run does not have. Suggests a similar name among `knownNames`. */
export const createUnknownNameFailure = (
  { flag, text }: Limit,
  kind: 'question' | 'figure' | 'label',
  name: string,
  knownNames: ReadonlyArray<string>,
): Failure =>
  usage(`${flag} ${JSON.stringify(text)}: no ${kind} "${name}"${suggest(name, knownNames)}`)

/**
 * Explains why a limit is not met; `undefined` if it is met. `--min` is compared with the lower end of the figure's interval,
 * `--max` with the upper end. If a figure never has an interval, the limit is compared with the figure. A figure that is null, or whose interval
 * is missing, does not meet its limit.
 */
const explainUnmet = (
  { flag, figure, value }: Limit,
  measured: QuestionFigures,
): string | undefined => {
  const actual = listCounts(measured)[figure] ?? measured.figures[figure] ?? null
  if (actual === null) return `${figure} is null: ${measured.reasons[figure]}`
  const interval = measured.intervals[figure]
  if (interval === undefined && !neverWithInterval.has(figure))
    return `${figure} has no interval: ${measured.reasons[figure]}`
  const { low, high } = interval ?? { low: actual, high: actual }
  const isMet = flag === '--min' ? low >= value : high <= value
  if (isMet) return undefined
  const formatSixDigits = (number: number): string => String(Number(number.toPrecision(6)))
  return interval === undefined
    ? `${figure} is ${formatSixDigits(actual)}`
    : `${figure} is ${formatSixDigits(actual)}, from ${formatSixDigits(low)} to ${formatSixDigits(high)}`
}

/** Returns the values of `countNames`. A run without groups has as many groups as labelled rows. */
const listCounts = ({
  labelledRows,
  refusalCount,
  evidence,
}: QuestionFigures): Readonly<Record<string, number>> => ({
  n: labelledRows,
  n_effective: evidence.effectiveRows,
  groups: evidence.groups ?? labelledRows,
  refused: refusalCount,
})

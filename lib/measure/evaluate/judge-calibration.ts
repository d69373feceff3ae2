import type { QuestionFigures } from './figures'

/**
 * Compares the expected calibration error (`ece`) with the limit that perfect probabilities exceed in 5 % of simulations. The
 * simulation treats rows as independent. If rows of a group are alike (their design effect is above 1), larger errors are likely by
 * chance, and the result is unclear.
 */
export const judgeCalibration = ({ figures, eceLimit, evidence }: QuestionFigures): string => {
  const { ece } = figures
  if (ece === undefined || ece === null || eceLimit === null) return '–'
  if (ece <= eceLimit) return 'no error shown'
  return evidence.designEffect > 1 ? 'unclear: rows of a group are alike' : 'poor'
}

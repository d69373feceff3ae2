import { textTable, threeDecimals } from '../text-table'
import type { Difference } from './document'

/** Writes the table of `svc compare --table`. */
export const tabulateDifference = ({ compared: { rows, paired }, questions }: Difference): string =>
  [
    `${rows.a} and ${rows.b} rows, ${paired} paired`,
    textTable(
      1,
      [
        'question',
        'paired',
        'agreement',
        'kappa',
        'flipped',
        'mean_shift',
        'fixed',
        'broken',
        'p (Holm)',
      ],
      [...questions].map(
        ([
          id,
          {
            question: { pairs },
            agreement,
            kappa,
            meanShift,
            labelled,
          },
        ]) => [
          id,
          String(pairs.paired),
          ...[agreement, kappa, pairs.flipped, meanShift].map(threeDecimals),
          ...(labelled === undefined
            ? []
            : [pairs.fixed, pairs.broken, labelled.holm].map(threeDecimals)),
        ],
      ),
    ),
  ].join('\n\n')

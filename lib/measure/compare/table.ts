import { alignTable } from '../../text/table'
import { formatFigure } from '../numbers'
import type { Difference } from './document'

/** Writes the table of `svc compare --table`. */
export const tabulateDifference = ({ compared: { rows, paired }, questions }: Difference): string =>
  [
    `${rows.a} and ${rows.b} rows, ${paired} paired`,
    alignTable(
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
          ...[agreement, kappa, pairs.flipped, meanShift].map(formatFigure),
          ...(labelled === undefined
            ? []
            : [pairs.fixed, pairs.broken, labelled.holm].map(formatFigure)),
        ],
      ),
    ),
  ].join('\n\n')

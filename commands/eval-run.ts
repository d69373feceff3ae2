import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Run } from '../lib/cli/declaration'
import { exitCode } from '../lib/failure/classify'
import { tabulateEvaluation } from '../lib/measure/eval-table'
import { describeEvaluation, evaluate } from '../lib/measure/evaluate'
import { readLabelFile } from '../lib/measure/label-file'
import { refuseUnlabelled } from '../lib/measure/labelled'
import { findUnmet, parseLimits } from '../lib/measure/limits'
import { checkPage, writePages } from '../lib/measure/page/outputs'
import { readLabelled } from '../lib/measure/read-labelled'
import { sanitize } from '../lib/text/harmless'
import type { EvalFlags } from './eval'

/** Runs `svc eval`: measures a run against its labels. R18–R20 */
export const run: Run<EvalFlags> = ({ runtime, flags, redact }) => {
  const options = { seed: flags.seed, byGroup: flags['by-group'] }
  const { html, svg, input, labels } = flags
  const reads = [
    { name: '--input', path: input },
    ...(labels === undefined ? [] : [{ name: '--labels', path: labels }]),
  ]
  const paths = { html, svg, reads }
  return pipe(
    TE.Do,
    TE.bind('minima', () => TE.fromEither(parseLimits('--min', flags.min))),
    TE.bind('maxima', () => TE.fromEither(parseLimits('--max', flags.max))),
    TE.chainFirst(() => checkPage(runtime, paths)),
    TE.bind('measured', () =>
      pipe(
        readLabelFile(runtime, flags),
        TE.chain((labels) => readLabelled(runtime, flags.input, labels)),
        TE.chainFirstEitherK((labelled) => refuseUnlabelled('eval', labelled)),
        TE.map((labelled) => evaluate(labelled, options)),
      ),
    ),
    TE.bind('formatCoordinate', ({ minima, maxima, measured }) =>
      TE.fromEither(findUnmet([...minima, ...maxima], measured)),
    ),
    TE.chainFirst(({ measured }) => writePages(runtime, paths, measured, redact)),
    TE.chainFirst(({ formatCoordinate }) => {
      const lines = formatCoordinate.map((text) => `svc: not met: ${sanitize(text)}\n`)
      return TE.fromTask(() => runtime.stderr.write(lines.join('')))
    }),
    TE.map(({ measured, formatCoordinate }) => ({
      stdout: flags.table
        ? tabulateEvaluation(measured)
        : { document: describeEvaluation(measured) },
      exit: formatCoordinate.length === 0 ? exitCode.ok : exitCode.flagged,
    })),
  )
}

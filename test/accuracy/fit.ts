import { answerWith } from '../../lib/service/engines/lexical/engine'
import { weights } from '../../lib/service/engines/lexical/weights'
import { bootstrap } from '../../lib/statistics/bootstrap'
import { mean, type Numbers, ones } from '../../lib/statistics/numbers'
import { seeded } from '../../lib/statistics/random'
import { groupsOf } from './groups'
import { outcomesOf } from './measure'

/** The divisors that are tried: from 0.5 to 44, each a tenth more than the one before. */
const divisors = Array.from({ length: 48 }, (_, i) => 0.5 * 1.1 ** i)

/**
 * Finds by what the log-odds of the lexical engine have to be divided so that the mean log loss is least: the numbers
 * `caution` of its weights. Looks at the rows for fitting alone, and prints for each type of question the best divisor and
 * the one in use. The interval is from a bootstrap that draws whole groups, since rows of one source are alike.
 */
export const fit = (): void => {
  const groups = groupsOf('fit')
  for (const type of ['noul', 'choice', 'score'] as const) {
    const own = groups.filter((group) => group.type === type)
    const items = own.flatMap((group) => group.items)
    const lossesAt = (divisor: number): Float64Array => {
      const caution = { ...weights.caution, [type]: divisor }
      const all = outcomesOf(items, (request) => answerWith(request, { ...weights, caution }))
      return Float64Array.from(all, ({ loss }) => loss)
    }
    const tried = divisors.map((divisor) => ({ divisor, losses: lossesAt(divisor) }))
    const best = (counted: Numbers): { readonly divisor: number; readonly loss: number } =>
      tried
        .map(({ divisor, losses }) => ({ divisor, loss: mean(losses, counted) }))
        .reduce((least, next) => (next.loss < least.loss ? next : least))
    const alike = ones(items.length)
    const drawn = {
      units: own.length,
      unitOf: own.flatMap((group, i) => group.items.map(() => i)),
    }
    const { interval } = bootstrap(
      (counted) => ({ interval: best(counted).divisor }),
      ...([alike, drawn, 1000, seeded(1)] as const),
    )
    const { divisor, loss } = best(alike)
    const inUse = weights.caution[type]
    console.log(
      `${type}, ${items.length} questions in ${own.length} groups\n  best divided by ${divisor.toFixed(1)} ` +
        `(${interval?.low.toFixed(1)} to ${interval?.high.toFixed(1)}), log loss ${loss.toFixed(3)}; ` +
        `by ${inUse}, as it is, ${mean(lossesAt(inUse), alike).toFixed(3)}; by 1 ${mean(lossesAt(1), alike).toFixed(3)}`,
    )
  }
}

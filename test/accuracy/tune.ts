/**
 * Looks for better weights of the lexical engine: `node --import tsx test/accuracy/tune.ts`.
 * Coordinate search on the mean loss over the tuning part alone, held near the usual values so that a
 * small set cannot pull the weights anywhere. Prints JSON to be copied into
 * `lib/service/engines/lexical/weights.ts`. The test part is not read here.
 */
import { answerWith } from '../../lib/service/engines/lexical/engine'
import type { Weights } from '../../lib/service/engines/lexical/weights'
import { itemsOf } from './items'
import { measure } from './measure'

/** What is searched: all but what is for other texts than those of the set. */
type Searched = Omit<Weights, 'caution' | 'feeling'>

/** Where the search begins and what it is held to. */
const usual: Searched = {
  k1: 1.2,
  b: 0.5,
  k3: 2,
  label: 1,
  negation: 0.7,
  focus: 1,
  choice: 2,
  score: 2,
  neighbour: 0.1,
  found: 3,
  threshold: 0.5,
  criteria: 2,
}
const pull = 0.01
const kept = { caution: { noul: 1, choice: 1, score: 1 }, feeling: 0.75 }

const items = itemsOf('tuning')
const lossOf = (tried: Searched): number =>
  measure(items, (request) => answerWith(request, { ...tried, ...kept })).loss +
  pull *
    (Object.keys(usual) as Array<keyof Searched>).reduce(
      (sum, name) => sum + Math.log(tried[name] / usual[name]) ** 2,
      0,
    )

let best: Searched = usual
let loss = lossOf(best)
for (const step of [1.5, 1.25, 1.1, 1.05]) {
  for (let improved = true; improved; ) {
    improved = false
    for (const name of Object.keys(best) as Array<keyof Searched>) {
      for (const factor of [step, 1 / step]) {
        const tried = { ...best, [name]: Number((best[name] * factor).toFixed(3)) }
        const triedLoss = lossOf(tried)
        if (triedLoss < loss - 1e-5) {
          best = tried
          loss = triedLoss
          improved = true
        }
      }
    }
  }
}
console.log(JSON.stringify(best, null, 2))
console.log(measure(items, (request) => answerWith(request, { ...best, ...kept })))

import { answerWith } from '../../lib/service/engines/lexical/engine'
import { weights } from '../../lib/service/engines/lexical/weights'
import { groupsOf } from '../accuracy/groups'
import { type Item, itemsOf } from '../accuracy/items'
import { type Measured, measure } from '../accuracy/measure'

const kinds = ['noul', 'choice', 'score'] as const

/** Prints what the lexical engine makes of labelled rows, those of others and both parts of the author's set, and its speed on one core. D39 */
export const reportAccuracy = (rounds: number): void => {
  const parts = [
    { part: 'others', items: groupsOf('held').flatMap(({ items }) => items) },
    ...(['tuning', 'test'] as const).map((part) => ({ part, items: itemsOf(part) })),
  ]
  console.log('\nlexical engine: accuracy on labelled rows (no opinion counts as not right)')
  for (const { part, items } of parts) {
    console.log(`  ${part.padEnd(7)} ${line(measureLexical(items), items.length)}`)
    for (const kind of kinds) {
      const some = items.filter(({ question }) => question.type === kind)
      console.log(`    ${kind.padEnd(6)}${line(measureLexical(some), some.length)}`)
    }
  }
  const all = parts.flatMap(({ items }) => items)
  const speeds = Array.from({ length: 5 }, () => speed(all, rounds)).sort((a, b) => a - b)
  console.log(`  ${speeds[2]} questions per second of processor time (median of 5)`)
}

const measureLexical = (items: ReadonlyArray<Item>): Measured =>
  measure(items, (request) => answerWith(request, weights))

const line = ({ right, wrong, none, loss }: Measured, size: number): string =>
  `${((100 * right) / size).toFixed(0).padStart(3)} %  right ${right}, wrong ${wrong}, ` +
  `no opinion ${none} of ${size}; log loss ${loss.toFixed(3)}`

/** Whole answers, the state read anew for every question. */
const speed = (items: ReadonlyArray<Item>, rounds: number): number => {
  const started = process.cpuUsage()
  for (let round = 0; round < rounds; round += 1) measureLexical(items)
  const { user, system } = process.cpuUsage(started)
  return Math.round((rounds * items.length * 1e6) / (user + system))
}

import * as assert from 'node:assert/strict'
import { suite } from 'uvu'
import { textOf } from '../../../lib/json/json'
import { answerWith } from '../../../lib/service/engines/lexical/engine'
import { weights } from '../../../lib/service/engines/lexical/weights'
import { groupsOf } from '../../accuracy/groups'
import { type Item, itemsOf } from '../../accuracy/items'
import { measure } from '../../accuracy/measure'

const test = suite('labelled set')

const parts = ['tuning', 'test'] as const

const assertAnswerable = ({ question, answer }: Item): void => {
  const size = question.type === 'noul' ? 2 : question.criteria.length
  assert.ok(Number.isInteger(answer) && answer >= 0 && answer < size)
}

test('every item has an answer its question can give, and both answers of a noul are as frequent', () => {
  for (const part of parts) {
    const items = itemsOf(part)
    assert.ok(items.length >= 60)
    for (const item of items) assertAnswerable(item)
    const nouls = items.filter(({ question }) => question.type === 'noul')
    assert.equal(nouls.filter(({ answer }) => answer === 1).length * 2, nouls.length)
  }
})

test('the two parts are kept apart: no state of one is in the other', () => {
  const [tuning, held] = parts.map((part) => itemsOf(part).map(({ state }) => textOf(state)))
  assert.deepEqual(
    tuning?.filter((state) => held?.includes(state)),
    [],
  )
})

test('the lexical engine does far better than chance on both', () => {
  for (const part of parts) {
    const items = itemsOf(part)
    const { right, loss } = measure(items, (request) => answerWith(request, weights))
    assert.ok(right / items.length > 0.75, `${part}: ${right} of ${items.length}`)
    assert.ok(loss < 0.65)
  }
})

test('rows of others have answers that can be given, and none is both fitted to and measured', () => {
  const [fitted = [], held = []] = (['fit', 'held'] as const).map(groupsOf)
  for (const { type, items } of [...fitted, ...held]) {
    for (const item of items) assertAnswerable(item)
    assert.ok(items.every(({ question }) => question.type === type))
  }
  const sourcesOf = (groups: typeof held) => new Set(groups.map(({ name }) => name.split(',')[0]))
  const known = sourcesOf(fitted)
  assert.deepEqual(
    [...sourcesOf(held)].filter((source) => known.has(source)),
    [],
  )
})

test.run()

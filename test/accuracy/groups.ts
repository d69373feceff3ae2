import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Draft } from '../../lib/json/draft'
import { root } from '../support/folders'
import { type Item, itemOf, type Line } from './items'

/** Texts of others, with the labels that others gave them, that are asked the same question. */
export interface Group {
  /** The source, a comma, and what is asked. */
  readonly name: string
  readonly type: Item['question']['type']
  readonly items: ReadonlyArray<Item>
}

/** `fit` has the rows that `npm run accuracy -- --fit` looks at, `held` those of other sources that are only measured. */
export type Share = 'fit' | 'held'

interface Written {
  readonly name: string
  readonly question: Line['question']
  readonly rows: ReadonlyArray<readonly [state: Draft, answer: Line['answer']]>
}

/** Reads the groups of a share: a JSON document per line. `rows/SOURCES.md` says where they come from. */
export const groupsOf = (share: Share): ReadonlyArray<Group> =>
  readFileSync(join(root, `test/accuracy/rows/${share}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const { name, question, rows } = JSON.parse(line) as Written
      const items = rows.map(([state, answer]) => itemOf({ state, question, answer }))
      return { name, type: question.type, items }
    })

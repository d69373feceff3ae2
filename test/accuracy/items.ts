import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Draft, toJson } from '../../lib/json/draft'
import type { Json } from '../../lib/json/json'
import type { EngineQuestion } from '../../lib/service/contract/engine'
import { root } from '../support/folders'

/** A labelled question: what a careful reader would answer about the state. */
export interface Item {
  readonly state: Json
  readonly question: Exclude<EngineQuestion, { type: 'other' }>
  /** 1 or 0 for a noul, else the index of the label or level. */
  readonly answer: number
}

/** The two parts of the set. Weights are tuned on `tuning` alone; `test` is only ever measured. */
export type Part = 'tuning' | 'test'

/** A labelled question as a file has it. */
export interface Line {
  readonly state: Draft
  readonly answer: boolean | string | number
  readonly question: {
    readonly type: 'noul' | 'choice' | 'score'
    readonly instructions?: Draft
    readonly criteria?: Readonly<Record<string, Draft>> | ReadonlyArray<Draft>
  }
}

/** Reads one part: a JSON document per line. */
export const itemsOf = (part: Part): ReadonlyArray<Item> =>
  readFileSync(join(root, `test/accuracy/${part}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => itemOf(JSON.parse(line) as Line))

/** Reads a labelled question: a label or level becomes its index. */
export const itemOf = ({ state, question, answer }: Line): Item => ({
  state: toJson(state),
  question: questionOf(question),
  answer: typeof answer === 'string' ? labelsOf(question).indexOf(answer) : Number(answer),
})

const labelsOf = (question: Line['question']): ReadonlyArray<string> =>
  Object.keys(question.criteria ?? {})

const questionOf = ({ type, instructions, criteria }: Line['question']): Item['question'] => {
  const common = instructions === undefined ? {} : { instructions: toJson(instructions) }
  const entries = Object.entries(criteria ?? {})
  switch (type) {
    case 'noul':
      return criteria === undefined
        ? { type, ...common }
        : {
            type,
            ...common,
            criteria: Object.fromEntries(entries.map(([side, text]) => [side, toJson(text)])),
          }
    case 'choice':
      return {
        type,
        ...common,
        criteria: entries.map(([label, text]) => [label, text === null ? null : toJson(text)]),
      }
    case 'score':
      return { type, ...common, criteria: entries.map(([, level]) => toJson(level)) }
  }
}

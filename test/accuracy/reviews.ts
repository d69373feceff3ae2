import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { toJson } from '../../lib/json/draft'
import { root } from '../support/folders'
import type { Item } from './items'

/**
 * Sentences of reviews that people have labelled as positive or negative, 1,000 from each of three sites: the Sentiment
 * Labelled Sentences of Kotzias and others (KDD 2015), as the package `sentiment` (MIT) has them for its own tests. Nothing
 * of the lexical engine but `feeling` was chosen by them, and that mostly by those from Amazon.
 */
export const sources = ['amazon', 'imdb', 'yelp'] as const

/** How a review is asked about. */
const forms: ReadonlyArray<(positive: boolean) => Omit<Item, 'state'>> = [
  (positive) => ({
    question: {
      type: 'noul',
      instructions: toJson('Is this review positive?'),
      criteria: {
        true: toJson('The customer likes it'),
        false: toJson('The customer dislikes it'),
      },
    },
    answer: positive ? 1 : 0,
  }),
  (positive) => ({
    question: {
      type: 'choice',
      instructions: toJson('What is the sentiment of this review?'),
      criteria: [
        ['negative', null],
        ['positive', null],
      ],
    },
    answer: positive ? 1 : 0,
  }),
  (positive) => ({
    question: {
      type: 'score',
      instructions: toJson('How good does the customer find it?'),
      criteria: ['bad, a disappointment', 'average', 'great, excellent'].map(toJson),
    },
    answer: positive ? 2 : 0,
  }),
]

/** Every `step`-th review of a source, asked about in turn as a noul, a choice and a score. */
export const reviews = (source: (typeof sources)[number], step: number): ReadonlyArray<Item> => {
  const path = `node_modules/sentiment/test/fixtures/${source}.json`
  const rows = JSON.parse(readFileSync(join(root, path), 'utf8')) as ReadonlyArray<{
    readonly text: string
    readonly class: number | null
  }>
  return rows
    .filter((row, i) => (row.class === 0 || row.class === 1) && i % step === 0)
    .flatMap((row, i) => {
      const form = forms[i % forms.length]?.(row.class === 1)
      return form === undefined ? [] : [{ state: toJson(row.text), ...form }]
    })
}

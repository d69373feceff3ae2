/** Measures how often the embedded engine is right about texts with known labels, beside two predictions that read no text. */
import { nodeFiles } from '../../lib/runtime/node/files'
import { loadVectorTable } from '../../lib/service/engines/embedded/vector-table'
import { type LabelledSet, readLabelledSets } from '../accuracy/labelled-sets'
import {
  type Accuracy,
  measureSets,
  type PredictSet,
  predictPrior,
  predictUniform,
} from '../accuracy/measure-accuracy'
import { answerEmbedded } from '../service/engines/embedded/answer-embedded'

/** The types of questions. Criteria make a noul (a yes/no question) easier. */
const questionTypes: ReadonlyArray<
  readonly [title: string, isOfType: (set: LabelledSet) => boolean]
> = [
  ['choice', ({ question }) => question.type === 'choice'],
  [
    'noul with criteria',
    ({ question }) => question.type === 'noul' && question.criteria !== undefined,
  ],
  [
    'noul without criteria',
    ({ question }) => question.type === 'noul' && question.criteria === undefined,
  ],
  ['score', ({ question }) => question.type === 'score'],
]

const sources = ['everyday', 'datasets'] as const

/** Prints a table for each source: a line for each type of question and predictor. */
export const reportAccuracy = async (): Promise<void> => {
  const table = await loadVectorTable(nodeFiles)
  const predictEmbedded: PredictSet = ({ question, rows }) =>
    rows.map(({ text }) => answerEmbedded(text, question, table))
  const sets = readLabelledSets()
  for (const source of sources) {
    console.log(`\ntest/accuracy/${source}: right, stated and no opinion in % of the rows`)
    printLine('', 'rows', 'right', 'stated', 'no opinion', 'log loss')
    for (const [title, isOfType] of questionTypes) {
      const ofType = sets.filter((set) => set.source === source && isOfType(set))
      printAccuracy(title, measureSets(ofType, predictEmbedded))
      printAccuracy('  uniform', measureSets(ofType, predictUniform))
      printAccuracy("  the set's own prior", measureSets(ofType, predictPrior))
    }
  }
}

const printAccuracy = (title: string, accuracy: Accuracy): void => {
  const formatPercent = (share: number): string => (100 * share).toFixed(1)
  printLine(
    title,
    String(accuracy.rows),
    formatPercent(accuracy.right),
    formatPercent(accuracy.stated),
    formatPercent(accuracy.noOpinion),
    accuracy.logLoss.toFixed(3),
  )
}

const printLine = (title: string, ...cells: ReadonlyArray<string>): void => {
  console.log(title.padEnd(24) + cells.map((cell) => cell.padStart(12)).join(''))
}

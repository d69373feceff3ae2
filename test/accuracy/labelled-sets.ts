import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EngineQuestion } from '../../lib/service/contract/engine'
import { root } from '../support/folders'

/** A question, with texts whose right answer is known. */
export interface LabelledSet {
  /** The path of the set's folder in `test/accuracy`, and the id of the question. */
  readonly name: string
  /** `everyday` has texts of our own. `datasets` has texts of public data. */
  readonly source: 'everyday' | 'datasets'
  readonly question: EngineQuestion
  readonly rows: ReadonlyArray<LabelledRow>
}

export interface LabelledRow {
  readonly text: string
  /** The index of the right option. The options of a noul are no and yes. */
  readonly label: number
}

/** A question in a questions.json. The form of its criteria depends on its type. The criteria of a choice are an object. */
interface FileQuestion {
  readonly type: EngineQuestion['type']
  readonly instructions: string
  readonly criteria?: object
}

const createQuestion = ({ type, instructions, criteria }: FileQuestion): EngineQuestion => {
  const engineCriteria = type === 'choice' ? Object.entries(criteria ?? {}) : criteria
  // The criteria in the files fit the type.
  return {
    type,
    instructions,
    ...(engineCriteria === undefined ? {} : { criteria: engineCriteria }),
  } as EngineQuestion
}

/** Lists the labels of a question's options, as the rows have them. */
const listLabels = (question: EngineQuestion): ReadonlyArray<unknown> => {
  switch (question.type) {
    case 'noul':
      return [false, true]
    case 'choice':
      return question.criteria.map(([label]) => label)
    case 'score':
      // The label of a score is the index of its level.
      return [...question.criteria.keys()]
  }
}

/** Reads the sets of a folder with a questions.json and a rows.jsonl, one for each question. Throws if a row has no known label. */
const readFolder = (source: LabelledSet['source'], path: string): ReadonlyArray<LabelledSet> => {
  const folder = join(root, 'test/accuracy', source, path)
  const readText = (name: string): string => readFileSync(join(folder, name), 'utf8').trim()
  const rows = readText('rows.jsonl')
    .split('\n')
    .map((line) => JSON.parse(line))
  const questions: Readonly<Record<string, FileQuestion>> = JSON.parse(
    readText('questions.json'),
  ).questions
  return Object.entries(questions).map(([id, fileQuestion]) => {
    const question = createQuestion(fileQuestion)
    const labels = listLabels(question)
    const labelledRows = rows.map((row) => {
      // Rows with one question have its label as `label`.
      const label = labels.indexOf(row[id] ?? row.label)
      if (label < 0) throw new Error(`${path}: ${row.text} has no label for ${id}`)
      return { text: row.text, label }
    })
    return { name: `${path}/${id}`, source, question, rows: labelledRows }
  })
}

/** Reads all sets. */
export const readLabelledSets = (): ReadonlyArray<LabelledSet> => {
  const list = (source: LabelledSet['source']): ReadonlyArray<LabelledSet> =>
    readdirSync(join(root, 'test/accuracy', source), { recursive: true, encoding: 'utf8' })
      .map((path) => path.replaceAll('\\', '/'))
      .filter((path) => existsSync(join(root, 'test/accuracy', source, path, 'rows.jsonl')))
      .sort()
      .flatMap((path) => readFolder(source, path))
  return [...list('everyday'), ...list('datasets')]
}

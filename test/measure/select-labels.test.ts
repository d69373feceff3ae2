import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { runMain } from '../main/run-main'
import { createChoice, createNoul, createScore } from './runs'

const test = suite('measure: labels in the tables of svc select')

const legend = { 0: 'can wait', 1: 'soon', 2: 'now' }

/** Creates a line of a run with labels. */
const createLine = (index: number, labels: object, scoreLegend: object): string =>
  JSON.stringify({
    index,
    labels,
    state_sha256: index.toString(16).padStart(64, '0'),
    questions_sha256: '0'.repeat(64),
    model: 'm',
    answers: {
      billing: createNoul(0.9),
      tone: createChoice({ calm: 0.8, angry: 0.2 }),
      urgency: { ...createScore(0.1, 0.2, 0.7), legend: scoreLegend },
    },
    usage: {},
  })

/** Writes the table of a run. Then measures the run with the labels in the run, and with those in the table. */
const selectAndMeasure = async (lines: ReadonlyArray<string>) => {
  const run = lines.join('\n')
  const argv = ['select', 'run.jsonl', '--where', 'billing.noul >= 0', '--to', 'csv', '--no-bom']
  const { stdout: table } = await runMain({ argv, files: { 'run.jsonl': run } })
  const files = { 'run.jsonl': run, 'labels.csv': table }
  const measure = async (...flags: ReadonlyArray<string>): Promise<string> =>
    (await runMain({ argv: ['eval', 'run.jsonl', ...flags], files })).stdout
  return { table, own: await measure(), read: await measure('--labels', 'labels.csv') }
}

test('writes labels in the words of the decisions beside them, and reads them back', async () => {
  const { table, own, read } = await selectAndMeasure([
    createLine(0, { billing: true, tone: 'angry', urgency: 1 }, legend),
    createLine(1, { billing: false, tone: 'calm', urgency: 2 }, legend),
  ])
  const [header = '', ...rows] = table.trimEnd().split('\n')
  const column = (row: string, name: string) => row.split(',')[header.split(',').indexOf(name)]
  const words = rows.map((row) =>
    ['billing', 'tone', 'urgency'].map((id) => [
      column(row, `${id}.decision`),
      column(row, `${id}.label`),
    ]),
  )
  assert.equal(words, [
    [
      ['yes', 'yes'],
      ['calm', 'angry'],
      ['now', 'soon'],
    ],
    [
      ['yes', 'no'],
      ['calm', 'calm'],
      ['now', 'now'],
    ],
  ])
  assert.is(read, own)
})

test('writes the index of a level whose text is a number', async () => {
  const numbers = { 0: '1', 1: '2', 2: '3' }
  const { own, read } = await selectAndMeasure([
    createLine(0, { urgency: 1 }, numbers),
    createLine(1, { urgency: 2 }, numbers),
  ])
  assert.is(read, own)
})

test.run()

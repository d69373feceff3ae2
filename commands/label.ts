import type { Flags } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'
import { outputFlag, seedFlag, textFlags } from './flags/shared-flags'

const flags = [
  {
    name: 'input',
    short: 'i',
    type: 'string',
    placeholder: 'path',
    isFile: true,
    summary: 'the table of svc sample, which gets your labels',
  },
  {
    name: 'file',
    short: 'f',
    type: 'string',
    placeholder: 'path',
    isFile: true,
    summary: 'the questions of the run: a request without its state',
  },
  { ...outputFlag, summary: 'write the labels to this file, and leave the input unchanged' },
  ...textFlags,
  { ...seedFlag, summary: 'the seed for the order of the rows' },
  {
    name: 'again',
    type: 'int',
    placeholder: 'n',
    default: 0,
    min: 0,
    summary: 'show n rows a second time at the end, to see how often you agree with yourself',
  },
  {
    name: 'port',
    type: 'int',
    default: 0,
    min: 0,
    max: 65_535,
    summary: 'the port to listen on; 0 picks a free one',
  },
] as const satisfies Flags

register(
  {
    name: 'label',
    summary: 'Label the rows of a sample in your browser',
    description: `Opens a page on this machine that shows the rows of a table, one at a time, and writes your answers into the \
table. stderr has the address, which works once, in one browser.

Draw the table first: svc sample -i run.jsonl -n 100 --for measure --rows tickets.csv -o to-label.csv. To avoid a bias, the \
page shows neither the answers of the run nor the labels of other people, and shuffles the rows.

Each answer has a button and a digit key. s skips a row, ? means that you cannot tell, u undoes the last answer, n writes \
a note. Each answer is in the file before the next row appears: stop whenever you like, and start again to continue at the \
first empty cell. All other cells stay as they are.

If another program changes the file meanwhile, svc does not overwrite it. The page tells you, and offers your answers as a \
download.

Press done to end svc label. It then prints how many labels the table has, how many cells are still empty, and how many \
rows you skipped. Ctrl-C also ends it, with exit code 130.`,
    flags,
    examples: [
      {
        command: 'svc label -i to-label.csv -f questions.json',
        note: 'Then open the address that it prints.',
      },
      {
        command: 'svc label -i to-label.csv -f questions.json --again 20',
        note: 'Show twenty rows a second time: svc eval says how far you can trust your labels.',
      },
    ],
    // The command ends once the unused connections of the browser are cut, which takes less time than this.
    graceMs: 2000,
  },
  async () => (await import('./run/label')).runLabel,
)

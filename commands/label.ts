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
    name: 'image-field',
    type: 'strings',
    placeholder: 'name',
    summary: 'a column with the path of an image, which the page shows',
  },
  {
    name: 'follow-links',
    type: 'bool',
    summary: 'also show images outside the folder of the table',
  },
  { name: 'no-open', type: 'bool', summary: 'do not open the browser' },
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
table. On a terminal, svc opens your browser; with --no-open, over SSH and in scripts it only prints the address to stderr. \
The address works once, in one browser.

Draw the table first: svc sample -i run.jsonl -n 100 --for measure --rows tickets.csv -o to-label.csv. To avoid a bias, the \
page shows neither the answers of the run nor the labels of other people, and shuffles the rows.

Each answer has a button and a key: digits and then letters for choices, the number of the level for scores. s skips a row, \
? means that you cannot tell, u undoes the last answer, n writes a note. A switch on the page turns these keys off. Each \
answer is in the file before the next row appears: stop whenever you like, and start again to continue at the first empty \
cell. All other cells stay as they are.

--image-field names a column with the paths of images, as in svc batch. They are relative to the folder of the table.

If another program changes the file meanwhile, svc does not overwrite it. Within seconds, the page tells you what to do, and \
offers your answers as a download.

Press done to end svc label. It then prints how many labels the table has, how many cells are still empty, and how many \
rows you skipped. Ctrl-C also ends it, with exit code 130.`,
    flags,
    examples: [
      {
        command: 'svc label -i to-label.csv -f questions.json',
        note: 'Opens the page in your browser.',
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

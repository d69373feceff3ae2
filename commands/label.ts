import { type Flags, outputFlag, seedFlag } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'

const flags = [
  {
    name: 'input',
    short: 'i',
    type: 'string',
    value: 'path',
    file: true,
    summary: 'the table that svc sample wrote; it gets the labels',
  },
  {
    name: 'file',
    short: 'f',
    type: 'string',
    value: 'path',
    file: true,
    summary: 'the questions of the run: a request without its state',
  },
  { ...outputFlag, summary: 'write the labels to this file, and leave the input as it is' },
  { ...seedFlag, summary: 'seed of the order in which rows are shown' },
  {
    name: 'again',
    type: 'int',
    value: 'n',
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
    summary: 'port to listen on; 0 picks one',
  },
] as const satisfies Flags

register(
  {
    name: 'label',
    summary: 'Label the rows of a sample in your browser',
    description: `Opens a page on this machine that shows the rows of a table, one at a time, and writes what you say into the \
table. stderr has the address; it works once, in one browser.

Draw the table first: svc sample -i run.jsonl -n 100 --for measure --rows tickets.csv -o to-label.csv. The page shows neither \
the answers of the run nor other people's labels, so that they cannot sway you. The order is shuffled.

Each answer has a button and a digit key. s skips a row, ? says that you cannot tell, u takes the last answer back, n writes \
a note. Every answer is in the file as soon as the next row appears: stop whenever you like, and start again to go on at the \
first empty cell. All other cells stay as they are.

A file that another program changes meanwhile is not overwritten: the page says so and offers your answers as a download.

svc label ends when you press done, and prints how many labels the table has, how many cells are still empty, and how many \
you passed over. Ctrl-C ends it too, with exit code 130.`,
    flags,
    examples: [
      {
        command: 'svc label -i to-label.csv -f questions.json',
        note: 'Then open the address that it prints.',
      },
      {
        command: 'svc label -i to-label.csv -f questions.json --again 20',
        note: 'Twenty rows a second time: svc eval says how far your labels can be trusted.',
      },
    ],
  },
  async () => (await import('./run/label')).runLabel,
)

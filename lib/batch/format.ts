import { extname } from 'node:path'

/** The values of `--format`: how the rows of an input are written. R4 */
export const formats = ['jsonl', 'csv', 'lines'] as const

/** The format of an input. R4 */
export type Format = (typeof formats)[number]

/** The format that the extension of a path stands for. R4 */
export const formatOf = (path: string): Format => {
  switch (extname(path).toLowerCase()) {
    case '.csv':
      return 'csv'
    case '.txt':
      return 'lines'
    default:
      return 'jsonl'
  }
}

/** Declares `--format`, for the commands that read rows. R4 */
export const formatFlag = {
  name: 'format',
  type: 'string',
  value: 'format',
  defaultText: 'jsonl',
  oneOf: formats,
} as const

import { extname } from 'node:path'
import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../failure/failure'

/** The values of `--format`: how the rows of an input are written. R4 */
export const formats = ['jsonl', 'csv', 'lines'] as const

/** The format of an input. R4 */
export type Format = (typeof formats)[number]

/**
 * The given format, or else the one that the extension of `path` stands for. Fails with a usage error where
 * there is no such format. R4
 */
export const formatOf = (given: string | undefined, path: string): E.Either<Failure, Format> => {
  const format = given === undefined ? byExtension(path) : formats.find((one) => one === given)
  return format === undefined
    ? E.left(usage(`--format must be one of ${formats.join(', ')}, got ${given}`))
    : E.right(format)
}

const byExtension = (path: string): Format => {
  switch (extname(path).toLowerCase()) {
    case '.csv':
      return 'csv'
    case '.txt':
      return 'lines'
    default:
      return 'jsonl'
  }
}

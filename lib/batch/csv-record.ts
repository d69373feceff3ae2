import { isUtf8 } from 'node:buffer'
import { CsvError, parse } from 'csv-parse/sync'
import * as E from 'fp-ts/Either'

/** Reads the fields of one CSV record. Fails with the reason where it is malformed. */
export const fieldsOf = (record: Buffer): E.Either<string, ReadonlyArray<string>> => {
  if (!isUtf8(record)) return E.left('invalid UTF-8')
  try {
    const [fields = ['']]: ReadonlyArray<ReadonlyArray<string>> = parse(record, {
      record_delimiter: ['\r\n', '\n'],
      relax_column_count: true,
    })
    return E.right(fields)
  } catch (error) {
    return E.left(whyOf(error))
  }
}

/** The fault in words of this program, since the library's messages repeat the fields. */
const whyOf = (error: unknown): string => {
  switch (error instanceof CsvError ? error.code : undefined) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'a quoted field is not closed'
    case 'CSV_INVALID_CLOSING_QUOTE':
      return 'a closing quote is not followed by a comma or the end of the record'
    case 'INVALID_OPENING_QUOTE':
      return 'a quote stands inside a field that does not begin with one'
    default:
      return 'it is not well-formed CSV'
  }
}

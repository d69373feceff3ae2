import * as E from 'fp-ts/Either'
import { suggestQuoted } from '../../text/suggestion'
import { isGuardedTable, labelSuffix, unguardCell } from './guards'

/** A column of a table. */
export interface TableColumn {
  /** The name in the header; `column 4` for the fourth column if it has none, and `Score (2)` for the second of one name. */
  readonly name: string
  /** `false` if the header has no name for it. A row leaves out the column if its cell is empty. */
  readonly isNamed: boolean
}

/** The columns of a table, and how to read its cells. */
export interface TableHeader {
  readonly columns: ReadonlyArray<TableColumn>
  /** `true` if svc wrote the table, whose cells have guards against formulas. */
  readonly isGuarded: boolean
  /** The positions of each name that the header has several times, from 1. */
  readonly repeatedNames: ReadonlyMap<string, ReadonlyArray<number>>
}

/** Creates the header of a table from its cells. */
export const createTableHeader = (cells: ReadonlyArray<string>): TableHeader => {
  const isGuarded = isGuardedTable(cells)
  const names = isGuarded ? cells.map(unguardCell) : cells
  const positions = new Map<string, number[]>()
  for (const [index, name] of names.entries()) {
    if (name.trim() === '') continue
    const sameName = positions.get(name)
    if (sameName === undefined) positions.set(name, [index + 1])
    else sameName.push(index + 1)
  }
  const uniqueNames = new UniqueNames(positions.keys())
  const columns = names.map((name, index): TableColumn => {
    if (name.trim() === '') return { name: uniqueNames.add(`column ${index + 1}`), isNamed: false }
    const isFirst = positions.get(name)?.[0] === index + 1
    return { name: isFirst ? name : uniqueNames.add(name), isNamed: true }
  })
  const repeatedNames = new Map([...positions].filter(([, { length }]) => length > 1))
  return { columns, isGuarded, repeatedNames }
}

/** Names that no two columns share. */
class UniqueNames {
  private readonly taken: Set<string>
  /** The number of the last column of each name. */
  private readonly numbers = new Map<string, number>()

  constructor(names: Iterable<string>) {
    this.taken = new Set(names)
  }

  /** Adds a name. Returns it with the next free number, such as `Score (2)`, if it is taken. */
  add(name: string): string {
    let uniqueName = name
    let number = this.numbers.get(name) ?? 1
    while (this.taken.has(uniqueName)) {
      number += 1
      uniqueName = `${name} (${number})`
    }
    this.numbers.set(name, number)
    this.taken.add(uniqueName)
    return uniqueName
  }
}

/**
 * Checks that a header has each of the columns that flags name, and only once. Fails with a message. If the delimiter was guessed,
 * also fails if the header seems to have another one.
 */
export const checkHeader = (
  { columns, repeatedNames }: TableHeader,
  namedColumns: ReadonlyArray<string>,
  isDelimiterGuessed: boolean,
): E.Either<string, void> => {
  const [firstColumn] = columns
  if (columns.length === 1 && isDelimiterGuessed && firstColumn?.name.includes('|'))
    return E.left(`the CSV header is one column, "${firstColumn.name}": pass --delimiter '|'`)
  const names = columns.map(({ name }) => name)
  const known = new Set(names)
  for (const name of namedColumns) {
    const positions = repeatedNames.get(name)
    if (positions !== undefined)
      return E.left(
        `the CSV header has the column "${name}" ${describePositions(positions)}: rename it, or name ${quoteAlternatives(columns, positions)}`,
      )
    if (!known.has(name))
      return E.left(`the CSV header has no column "${name}"${suggestQuoted(name, names)}`)
  }
  return E.right(undefined)
}

/** Fails with a message if a header has two columns for the labels of a question. */
export const checkLabelColumns = ({ repeatedNames }: TableHeader): E.Either<string, void> => {
  for (const [name, positions] of repeatedNames)
    if (name.endsWith(labelSuffix))
      return E.left(`the CSV header has the column "${name}" ${describePositions(positions)}`)
  return E.right(undefined)
}

const describePositions = (positions: ReadonlyArray<number>): string => {
  const last = positions.at(-1)
  const count = positions.length === 2 ? 'twice' : `${positions.length} times`
  return `${count}, as columns ${positions.slice(0, -1).join(', ')} and ${last}`
}

/** Lists the names of the second and later columns of one name, in quotes. */
const quoteAlternatives = (
  columns: ReadonlyArray<TableColumn>,
  positions: ReadonlyArray<number>,
): string =>
  positions
    .slice(1)
    .map((position) => `"${columns[position - 1]?.name}"`)
    .join(' or ')

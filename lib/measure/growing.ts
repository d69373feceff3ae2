import type { Table } from '../statistics/numbers'

/** A growing list of numbers that takes eight bytes for each. */
export class GrowingNumbers {
  private values = new Float64Array(64)
  private length = 0

  push(value: number): void {
    if (this.length === this.values.length) this.values = grown(this.values, this.length * 2)
    this.values[this.length++] = value
  }

  get size(): number {
    return this.length
  }

  at(place: number): number {
    return this.values[place] as number
  }

  finish(): Float64Array {
    return this.values.slice(0, this.length)
  }
}

/** A table to which rows and columns can be added. New cells are 0. */
export class GrowingTable {
  private values = new Float64Array(64)
  private rows = 0
  private columns = 0

  /** Adds a column to every row. */
  addColumn(): void {
    const { values, rows, columns } = this
    const wider = new Float64Array(Math.max(64, (rows + 1) * (columns + 1) * 2))
    for (let row = 0; row < rows; row++)
      wider.set(values.subarray(row * columns, (row + 1) * columns), row * (columns + 1))
    this.values = wider
    this.columns++
  }

  addRow(): void {
    this.rows++
    const needed = this.rows * this.columns
    if (needed > this.values.length) this.values = grown(this.values, needed * 2)
  }

  /** Sets a cell of the last row. */
  set(column: number, value: number): void {
    this.values[(this.rows - 1) * this.columns + column] = value
  }

  finish(): Table {
    const { rows, columns } = this
    return { values: this.values.slice(0, rows * columns), columns }
  }
}

const grown = (values: Float64Array, length: number): Float64Array<ArrayBuffer> => {
  const larger = new Float64Array(length)
  larger.set(values)
  return larger
}

import { redacted } from './search'

/** A value that prints as `[redacted]` wherever it is turned into text. D3 */
export class Secret {
  readonly #value: string
  constructor(value: string) {
    this.#value = value
  }
  /** The value itself. Use it only in the header that carries it. */
  reveal(): string {
    return this.#value
  }
  toString(): string {
    return redacted
  }
  toJSON(): string {
    return redacted
  }
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return redacted
  }
}

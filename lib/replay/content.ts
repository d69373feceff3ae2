import { type JsonValue, memberIn, numberIn, stringIn } from '../codec/json/json'

/** Reads a file by its path relative to the scenario's folder. Rejects if the file cannot be read. */
export type ReadFile = (name: string) => Promise<Uint8Array>

/** The number of bytes that may still be read. Several contents can share it. */
export interface ByteBudget {
  remaining: number
  /** The end of the error message if there are more bytes. */
  readonly limit: string
}

/** The parts of one content hold at most this number of bytes together. Without it, a short text could exhaust the memory. */
const maxContentBytes = 64 << 20

/** The contents and bodies of a folder that is held in memory, or of one scenario, have at most this number of bytes together. */
const maxScenarioBytes = 256 << 20

/** Creates the budget of one content. */
export const createContentBudget = (): ByteBudget => ({
  remaining: maxContentBytes,
  limit: 'its parts hold more than 64 MiB together',
})

/** Creates the budget of everything that one program holds in memory at a time. */
export const createScenarioBudget = (): ByteBudget => ({
  remaining: maxScenarioBytes,
  limit: 'its bodies and those read before hold more than 256 MiB together',
})

/** Takes bytes from a budget. Throws if it has fewer. */
export const spendBytes = (budget: ByteBudget, count: number): void => {
  if (count > budget.remaining) throw new Error(budget.limit)
  budget.remaining -= count
}

/**
 * Reads the bytes that a member of a scenario such as `bodyText` or `raw` describes: a text, a file, base64, a repeated
 * text, or an array of these. Any other value has no bytes. Rejects if a file cannot be read, if `times` is not a whole number, or if
 * there are more bytes than `budget` has.
 */
export const readContent = async (
  content: JsonValue,
  read: ReadFile,
  budget: ByteBudget,
): Promise<Uint8Array> => {
  if (!Array.isArray(content)) return readPart(content, read, budget)
  const parts: Array<Uint8Array> = []
  for (const part of content) parts.push(await readContent(part, read, budget))
  return Buffer.concat(parts)
}

const readPart = async (
  content: JsonValue,
  read: ReadFile,
  budget: ByteBudget,
): Promise<Uint8Array> => {
  const repeat = stringIn(memberIn(content, 'repeat'))
  const times = numberIn(memberIn(content, 'times'))
  if (repeat !== undefined && times !== undefined) {
    // Spends before it allocates.
    if (!Number.isInteger(times) || times < 0) throw new Error('"times" must be a whole number')
    const bytes = Buffer.from(repeat)
    spendBytes(budget, bytes.length * times)
    return Buffer.alloc(bytes.length * times, bytes)
  }
  const bytes = await readPlainPart(content, read)
  spendBytes(budget, bytes.length)
  return bytes
}

/** Reads a text, a file or base64. */
const readPlainPart = async (content: JsonValue, read: ReadFile): Promise<Uint8Array> => {
  if (typeof content === 'string') return Buffer.from(content)
  const file = stringIn(memberIn(content, 'file'))
  if (file !== undefined) return read(file)
  return Buffer.from(stringIn(memberIn(content, 'base64')) ?? '', 'base64')
}

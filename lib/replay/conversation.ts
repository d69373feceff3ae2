import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { bytesOf, type NamedScenario, type ScenarioContent } from './scenarios'

/** One line of a conversation over standard input and output, as JSON text or any bytes. */
export type Turn =
  | { readonly is: 'send' | 'expect'; readonly text: string }
  | { readonly is: 'sendText'; readonly text: string; readonly content: ScenarioContent }

export const conversationFileOf = ({ folder, scenario }: NamedScenario): string | undefined =>
  scenario.conversation === undefined ? undefined : join(folder, scenario.conversation)

/** Reads the turns of a scenario's conversation. The texts keep every literal. */
export const readTurns = (named: NamedScenario): ReadonlyArray<Turn> => {
  const file = conversationFileOf(named)
  if (file === undefined) return []
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => {
    const [, is, text] = /^\{"(send|sendText|expect)":(.*)\}$/.exec(line) ?? []
    if (is === 'sendText' && text) return { is, text, content: JSON.parse(text) as ScenarioContent }
    if ((is !== 'send' && is !== 'expect') || text === undefined)
      throw new Error(`${named.name}: no turn of a conversation: ${line}`)
    return { is, text }
  })
}

/** Writes a conversation as the file of a scenario has it. */
export const writeConversation = (turns: ReadonlyArray<Turn>): string =>
  turns.map(({ is, text }) => `{"${is}":${text}}\n`).join('')

/** What came of a conversation. */
interface Spoken {
  /** With the lines that came in place of those expected. */
  readonly turns: ReadonlyArray<Turn>
  /** What the program said beyond that. */
  readonly rest: string
  readonly problems: ReadonlyArray<string>
}

/**
 * Holds a conversation with a program: sends lines up to one that is expected, waits for a line, and so on; then
 * closes its input. Lines that are not as expected are problems.
 */
export const converse = async (
  named: NamedScenario,
  input: Writable,
  output: Readable,
  redact: (text: string) => string,
): Promise<Spoken> => {
  const lines = createInterface({ input: output, crlfDelay: Number.POSITIVE_INFINITY })[
    Symbol.asyncIterator
  ]()
  const readLine = async (): Promise<string | undefined> => {
    const { value, done } = await lines.next()
    return done ? undefined : redact(value)
  }
  const turns: Turn[] = []
  const problems: string[] = []
  for (const turn of readTurns(named)) {
    if (turn.is === 'expect') {
      const text = await readLine()
      turns.push({ ...turn, text: text ?? turn.text })
      if (text !== turn.text) problems.push(`line\n  expected ${turn.text}\n  received ${text}`)
      if (text === undefined) break
    } else {
      turns.push(turn)
      input.write(turn.is === 'sendText' ? await bytesOf(named.folder, turn.content) : turn.text)
      input.write('\n')
    }
  }
  input.end()
  let rest = ''
  for (let line = await readLine(); line !== undefined; line = await readLine()) rest += `${line}\n`
  return { turns, rest, problems }
}

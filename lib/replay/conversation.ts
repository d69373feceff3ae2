import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { type NamedScenario, readBytes, type ScenarioContent } from './scenarios'

/** One line of a conversation: sent over standard input or expected on standard output. `text` is its JSON. */
export type Turn =
  | { readonly is: 'send' | 'expect'; readonly text: string }
  | { readonly is: 'sendText'; readonly text: string; readonly content: ScenarioContent }

export const conversationFileOf = ({ folder, scenario }: NamedScenario): string | undefined =>
  scenario.conversation === undefined ? undefined : join(folder, scenario.conversation)

/** Reads the turns of a scenario's conversation, with every literal as written. Throws if a line is not a turn. */
export const readTurns = (named: NamedScenario): ReadonlyArray<Turn> => {
  const file = conversationFileOf(named)
  if (file === undefined) return []
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => {
    const [, is, text] = /^\{"(send|sendText|expect)":(.*)\}$/.exec(line) ?? []
    if (is === 'sendText' && text) return { is, text, content: JSON.parse(text) as ScenarioContent }
    if ((is !== 'send' && is !== 'expect') || text === undefined)
      throw new Error(`${named.name}: not a turn of a conversation: ${line}`)
    return { is, text }
  })
}

/** Formats a conversation as a scenario's file has it. */
export const formatConversation = (turns: ReadonlyArray<Turn>): string =>
  turns.map(({ is, text }) => `{"${is}":${text}}\n`).join('')

/** A conversation that has ended. */
interface Conversation {
  /** The turns, with the received lines in place of the expected ones. */
  readonly turns: ReadonlyArray<Turn>
  /** The output after the last turn. */
  readonly remaining: string
  /** The differences between expected and received lines. */
  readonly problems: ReadonlyArray<string>
}

/** Sends the lines of a conversation to a program, waits for each expected line in turn, and then closes its input. */
export const converse = async (
  named: NamedScenario,
  input: Writable,
  output: Readable,
  redact: (text: string) => string,
): Promise<Conversation> => {
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
      input.write(turn.is === 'sendText' ? await readBytes(named.folder, turn.content) : turn.text)
      input.write('\n')
    }
  }
  input.end()
  let remaining = ''
  for (let line = await readLine(); line !== undefined; line = await readLine())
    remaining += `${line}\n`
  return { turns, remaining, problems }
}

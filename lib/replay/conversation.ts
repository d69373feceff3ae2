import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { type NamedScenario, readBytes, readInputFile, type ScenarioContent } from './scenarios'

/**
 * A turn of a conversation: a line that is sent over stdin or expected on stdout. `text` is its JSON. The JSON of `sendText` describes
 * the bytes to send. These need not be JSON. `content` is the parsed description.
 */
export type Turn =
  | { readonly kind: 'send' | 'expect'; readonly text: string }
  | { readonly kind: 'sendText'; readonly text: string; readonly content: ScenarioContent }

/** Returns the path of a scenario's conversation; `undefined` if the scenario has none. */
export const findConversationFile = ({ folder, scenario }: NamedScenario): string | undefined =>
  scenario.conversation === undefined ? undefined : join(folder, scenario.conversation)

/** Reads the turns of a scenario's conversation. Numbers keep their spelling. Throws if a line is not a turn. */
export const readTurns = (namedScenario: NamedScenario): ReadonlyArray<Turn> => {
  const { conversation } = namedScenario.scenario
  if (conversation === undefined) return []
  const lines = readInputFile(namedScenario, conversation).toString().split('\n').filter(Boolean)
  return lines.map((line) => {
    // A line is such as {"send":{"id":1}}. JSON.parse would change the spelling of its numbers. `kind` is `undefined` without a match.
    const [, kind, text] = /^\{"(send|sendText|expect)":(.*)\}$/.exec(line) ?? []
    if (kind === 'sendText' && text)
      return { kind, text, content: JSON.parse(text) as ScenarioContent }
    if ((kind === 'send' || kind === 'expect') && text !== undefined) return { kind, text }
    throw new Error(`${namedScenario.name}: not a turn of a conversation: ${line}`)
  })
}

/** Formats a conversation as lines of the scenario's file. */
export const formatConversation = (turns: ReadonlyArray<Turn>): string =>
  turns.map(({ kind, text }) => `{"${kind}":${text}}\n`).join('')

/** The result of a conversation. */
interface ConversationResult {
  /** The turns, with the received lines in place of the expected ones. */
  readonly turns: ReadonlyArray<Turn>
  /** The output after the last turn. */
  readonly stdout: string
  /** The differences between expected and received lines. */
  readonly problems: ReadonlyArray<string>
}

/** Sends the lines of a conversation to a program, waits for each expected line in turn, and then closes the input. */
export const converse = async (
  namedScenario: NamedScenario,
  input: Writable,
  output: Readable,
  redact: (text: string) => string,
): Promise<ConversationResult> => {
  // The delay makes `\r\n` one line break, however late the `\n` arrives.
  const lines = createInterface({ input: output, crlfDelay: Number.POSITIVE_INFINITY })
  const lineIterator = lines[Symbol.asyncIterator]()
  const readLine = async (): Promise<string | undefined> => {
    const { value, done } = await lineIterator.next()
    return done ? undefined : redact(value)
  }
  const turns: Turn[] = []
  const problems: string[] = []
  for (const turn of readTurns(namedScenario)) {
    if (turn.kind !== 'expect') {
      turns.push(turn)
      input.write(
        turn.kind === 'sendText' ? await readBytes(namedScenario, turn.content) : turn.text,
      )
      input.write('\n')
      continue
    }
    const text = await readLine()
    turns.push({ ...turn, text: text ?? turn.text })
    if (text !== turn.text) problems.push(`line\n  expected ${turn.text}\n  received ${text}`)
    // The output has ended.
    if (text === undefined) break
  }
  input.end()
  let stdout = ''
  for (let line = await readLine(); line !== undefined; line = await readLine())
    stdout += `${line}\n`
  return { turns, stdout, problems }
}

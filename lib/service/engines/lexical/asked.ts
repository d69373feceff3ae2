import type { EngineRequest } from '../../contract/engine'
import { readInstructions } from './instructions'
import { optionsOf } from './options'

/** What the questions of a request look for in its state. The rest of the state need not be remembered. */
export interface Asked {
  readonly stems: ReadonlySet<string>
  /** The names that instructions put in backquotes, whether or not the state has such members. */
  readonly names: ReadonlySet<string>
}

/** The most different stems that are looked for: a request could hold millions of them. */
const mostStems = 100_000

/** Collects the stems and the names of all questions. */
export const askedOf = (questions: EngineRequest['questions']): Asked => {
  const stems = new Set<string>()
  const names = new Set<string>()
  const add = (stem: string): void => {
    if (stems.size < mostStems) stems.add(stem)
  }
  for (const [, question] of questions) {
    const { terms } = readInstructions(question.instructions, (name) => {
      names.add(name)
      return false
    })
    for (const { stem } of terms) add(stem)
    for (const { counts } of optionsOf(question, 1)) for (const stem of counts.keys()) add(stem)
  }
  return { stems, names }
}

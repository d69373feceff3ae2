import type { JsonValue } from '../../../codec/json/json'
import type { StateText } from '../../../measure/train/terms'
import { maxWords } from '../embedded/answer-in-steps'
import { listContentTexts } from '../embedded/content-texts'
import { computeTextVector, createPieceCounter, splitIntoParts } from '../embedded/read-text'
import type { StepByStep } from '../embedded/run-in-turns'
import type { VectorTable } from '../embedded/vector-table'
import { splitWords } from '../embedded/word-pieces'

/**
 * Reads the words and the vector of a state, for training and for answering. It reads the same texts as the engine `embedded`, up to its
 * limit of words, and leaves out the rest.
 */
export const readStateInSteps = function* (
  state: JsonValue,
  table: VectorTable,
): StepByStep<StateText> {
  const words: string[] = []
  const pieces = createPieceCounter(table)
  for (const part of splitIntoParts(listContentTexts(state))) {
    for (const word of splitWords(part)) {
      if (words.length === maxWords) break
      words.push(word)
      pieces.add(word)
    }
    yield part.length
    if (words.length === maxWords) break
  }
  const vector = Float32Array.from(computeTextVector(pieces.finish(), table))
  return { words, vector }
}

/** Reads the words and the vector of a state at once. */
export const readState = (state: JsonValue, table: VectorTable): StateText => {
  const steps = readStateInSteps(state, table)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

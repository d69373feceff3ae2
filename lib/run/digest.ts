import type { Question } from '../codec/question'
import { encodeQuestions } from '../codec/request'
import { encode, toJson } from '../json/draft'
import type { Json } from '../json/json'

/**
 * SHA-256 of a value's text, in lower-case hexadecimal digits. Node's cryptography takes milliseconds to load, so it loads with the
 * first digest and not before. R1
 */
export const digestOf = (value: Json): string =>
  process.getBuiltinModule('node:crypto').hash('sha256', encode(value), 'hex')

/** The digest of questions as a request carries them. R1 */
export const questionsDigest = (
  questions: ReadonlyArray<readonly [id: string, question: Question]>,
): string => digestOf(toJson(encodeQuestions(questions)))

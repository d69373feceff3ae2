import { hash } from 'node:crypto'
import type { Question } from '../codec/question'
import { encodeQuestions } from '../codec/request'
import { encode, toJson } from '../json/draft'
import type { Json } from '../json/json'

/** The SHA-256 of a value's text, in lower-case hexadecimal digits. R1 */
export const digestOf = (value: Json): string => hash('sha256', encode(value), 'hex')

/** The digest of questions in the form in which a request carries them. R1 */
export const questionsDigest = (
  questions: ReadonlyArray<readonly [id: string, question: Question]>,
): string => digestOf(toJson(encodeQuestions(questions)))

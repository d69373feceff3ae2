import * as E from 'fp-ts/Either'
import { createImageState } from '../../codec/images'
import { plainText } from '../../codec/json/draft'
import { type JsonValue, Literal, memberIn, stringIn } from '../../codec/json/json'
import type { RequestQuestion } from '../../codec/question'
import { cutWithEllipsis } from '../../text/sanitize'

/** A row of the input. */
export interface Row {
  /** The position of the row, from 0. Blank lines are not rows. */
  readonly index: number
  /** The line on which the row begins, from 1. */
  readonly line: number
  readonly id?: JsonValue | undefined
  readonly group?: JsonValue | undefined
  /** The correct answers, given by a person, by question id. */
  readonly labels?: ReadonlyArray<readonly [questionId: string, label: JsonValue]> | undefined
  /** The fields of `--label` that the row does not have. */
  readonly absentLabelFields?: ReadonlyArray<LabelField> | undefined
  /** The images that the row names. */
  readonly images?: ReadonlyArray<ImagePath> | undefined
  /** The JSON that the questions are about. Absent if the row could not be read. */
  readonly state?: JsonValue | undefined
  /** The reason why the row is invalid. svc sends no request for an invalid row. */
  readonly fault?: string | undefined
}

/** The roles of the fields of rows, from the command line. */
export interface RowFields {
  /** The field with the state; `undefined` if the whole row is the state. */
  readonly stateField: string | undefined
  readonly idField: string | undefined
  readonly groupField: string | undefined
  readonly labelFields: ReadonlyArray<LabelField>
  /** The fields with paths of images. The name of a field is the name of its image. */
  readonly imageFields: ReadonlyArray<string>
}

/** An image of a row. */
export interface ImagePath {
  readonly name: string
  /** The path in the row, unresolved. */
  readonly path: string
}

/** A field with the correct answer to a question. */
export interface LabelField {
  readonly questionId: string
  readonly question: RequestQuestion
  readonly field: string
}

/** Lists the names of all fields that have a role. */
export const listFieldNames = ({
  stateField,
  idField,
  groupField,
  labelFields,
  imageFields,
}: RowFields): ReadonlyArray<string> =>
  [
    stateField,
    idField,
    groupField,
    ...imageFields,
    ...labelFields.map(({ field }) => field),
  ].filter((name) => name !== undefined)

/** Gives no field a role, so the whole row is the state. */
export const noFields: RowFields = {
  stateField: undefined,
  idField: undefined,
  groupField: undefined,
  labelFields: [],
  imageFields: [],
}

/** The members of a row that do not depend on its position in the input. */
export type RowContent = Omit<Row, 'index' | 'line'>

/**
 * Divides the JSON value of a row by the roles of its fields. If the whole row is the state, removes the label fields from it, because
 * svc must never send the correct answers. A row that lacks a field or has an invalid label gets a `fault`.
 */
export const divideRow = (value: JsonValue, fields: RowFields): RowContent => {
  if (listFieldNames(fields).length === 0) return { state: value }
  const lookUp = (name: string) => memberIn(value, name)
  const labels = readLabels(fields.labelFields, lookUp)
  const labelFault = E.isLeft(labels) ? labels.left : undefined
  const fault = findFieldFault(value, fields) ?? labelFault ?? findImageFault(value, fields)
  return {
    id: fields.idField === undefined ? undefined : lookUp(fields.idField),
    group: fields.groupField === undefined ? undefined : lookUp(fields.groupField),
    labels: E.isRight(labels) && labels.right.length > 0 ? labels.right : undefined,
    absentLabelFields: fields.labelFields.filter(({ field }) => lookUp(field) === undefined),
    // If a field has no path, the row has a `fault`, so the `''` never matters.
    images: fields.imageFields.map((name) => ({ name, path: stringIn(lookUp(name)) ?? '' })),
    state: createState(value, fields),
    fault,
  }
}

/** Returns a message about the first missing field; `undefined` if no field is missing. Label fields may be missing. */
const findFieldFault = (
  value: JsonValue,
  { stateField, idField, groupField, imageFields }: RowFields,
): string | undefined => {
  const missingField = [stateField, idField, groupField, ...imageFields].find(
    (name) => name !== undefined && memberIn(value, name) === undefined,
  )
  if (missingField === undefined) return undefined
  return value instanceof Map
    ? `the field "${missingField}" is missing`
    : `the row must be an object with the field "${missingField}"`
}

/** Returns a message about the first image field that is not a path; `undefined` if all are. */
const findImageFault = (value: JsonValue, { imageFields }: RowFields): string | undefined => {
  for (const name of imageFields) {
    const path = stringIn(memberIn(value, name))
    if (path === undefined || path === '') return `the field "${name}" must be the path of an image`
  }
  return undefined
}

/** Creates the state of a row, with the names of images instead of their paths. `undefined` if the row lacks the state field. */
const createState = (value: JsonValue, fields: RowFields): JsonValue | undefined => {
  const { stateField, labelFields, imageFields } = fields
  if (stateField === undefined)
    return replacePathsByNames(dropLabelFields(value, labelFields), imageFields)
  const state = memberIn(value, stateField)
  return state === undefined || imageFields.length === 0
    ? state
    : createImageState(
        state,
        imageFields.map((name) => ({ name })),
      )
}

/** Replaces the paths of images in a row by their names. */
export const replacePathsByNames = (
  row: JsonValue,
  imageFields: ReadonlyArray<string>,
): JsonValue => {
  if (!(row instanceof Map)) return row
  const rowWithNames = new Map(row)
  for (const name of imageFields) if (rowWithNames.has(name)) rowWithNames.set(name, name)
  return rowWithNames
}

const dropLabelFields = (value: JsonValue, labelFields: ReadonlyArray<LabelField>): JsonValue => {
  if (!(value instanceof Map)) return value
  const state = new Map(value)
  for (const { field } of labelFields) state.delete(field)
  return state
}

/**
 * Reads the labels of a row, without empty ones. `lookUp` returns the value of a field. Fails with a message about the first value
 * that is not a label of its question.
 */
export const readLabels = (
  labelFields: ReadonlyArray<LabelField>,
  lookUp: (name: string) => JsonValue | undefined,
): E.Either<string, ReadonlyArray<readonly [questionId: string, label: JsonValue]>> => {
  const labels: Array<readonly [questionId: string, label: JsonValue]> = []
  for (const { questionId, question, field } of labelFields) {
    const value = lookUp(field)
    if (value === undefined || value === null || value === '') continue
    const text = formatScalar(value)
    const label = text === undefined ? undefined : parseLabel(question, text)
    if (label === undefined)
      return E.left(
        `the field "${field}" is ${describeValue(text)}, which is not a label of "${questionId}": ${describeLabels(question)}`,
      )
    labels.push([questionId, label])
  }
  return E.right(labels)
}

/** Formats the value of a label field as text; `undefined` for an object or an array. */
const formatScalar = (value: JsonValue): string | undefined =>
  value instanceof Map || Array.isArray(value) ? undefined : plainText(value)

/** Parses a label of a question; `undefined` if the question does not have it. For a score, a label is the index of a level. */
const parseLabel = (question: RequestQuestion, text: string): JsonValue | undefined => {
  switch (question.type) {
    case 'noul':
      // A yes/no question.
      return parseYesNo(text)
    case 'choice':
      return question.criteria?.some(([label]) => label === text) ? text : undefined
    case 'score': {
      // Spreadsheets may write the level 2 as `2.0`. The label is the JSON number 2.
      const isWholeNumber = /^\d{1,3}(?:\.0+)?$/.test(text)
      const isLevel = isWholeNumber && Number(text) < (question.criteria?.length ?? 0)
      return isLevel ? new Literal(String(Number(text))) : undefined
    }
    case 'other':
      return text
  }
}

/** The words for yes and no in English, and those that spreadsheets write in German, French and Spanish. */
const yesWords = 'true 1 yes y wahr ja vrai oui verdadero sí si'.split(' ')
const noWords = 'false 0 no n falsch nein faux non falso'.split(' ')

/** Parses a word for yes or no in any letter case; `undefined` for any other text. */
export const parseYesNo = (text: string): boolean | undefined => {
  const word = text.normalize('NFC').toLowerCase()
  if (yesWords.includes(word)) return true
  return noWords.includes(word) ? false : undefined
}

/** The maximum number of characters of a value or label in a message. */
const maxShownCharacters = 60

/** The maximum number of labels in a message. */
const maxListedLabels = 8

/** Describes the value of a label field in a message. `undefined` means an object or an array. */
const describeValue = (text: string | undefined): string =>
  text === undefined ? 'an object or array' : `"${cutWithEllipsis(text, maxShownCharacters)}"`

/** Describes the labels of a question, such as `it takes 0 to 4`. */
const describeLabels = (question: RequestQuestion): string => {
  switch (question.type) {
    case 'noul':
      return 'it takes true, false, yes, no, 1 or 0'
    case 'choice': {
      const labels = (question.criteria ?? []).map(
        ([label]) => `"${cutWithEllipsis(label, maxShownCharacters)}"`,
      )
      const more =
        labels.length > maxListedLabels ? ` and ${labels.length - maxListedLabels} more` : ''
      return `it takes ${labels.slice(0, maxListedLabels).join(', ')}${more}`
    }
    case 'score':
      return `it takes 0 to ${(question.criteria ?? []).length - 1}`
    case 'other':
      return 'it takes a text'
  }
}

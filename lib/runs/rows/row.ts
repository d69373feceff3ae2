import * as E from 'fp-ts/Either'
import { createImageState } from '../../codec/images'
import { type JsonValue, Literal, memberIn, stringIn } from '../../codec/json/json'
import type { RequestQuestion } from '../../codec/question'
import type { Label } from '../record/decode'
import { labelRangeOf, readLabel } from '../tables/label-values'

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
    const range = labelRangeOf(question)
    const label = readLabel(lookUp(field), { field, questionId, range })
    if (E.isLeft(label)) return label
    if (label.right !== undefined) labels.push([questionId, encodeLabel(label.right)])
  }
  return E.right(labels)
}

/** Encodes a label as JSON. A number is the index of a level. */
const encodeLabel = (label: Label): JsonValue =>
  typeof label === 'number' ? new Literal(String(label)) : label

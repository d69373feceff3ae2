import type { TextForm } from '../../runs/rows/text'

/** Declares the flags of the commands that take labels from a file beside the run. */
export const labelFlags = [
  {
    name: 'labels',
    type: 'string',
    value: 'path',
    summary: 'take the labels from this file (.csv, else JSONL) instead of from the run',
    file: true,
  },
  {
    name: 'label',
    type: 'strings',
    value: 'question=field',
    summary: 'with --labels, the field of a label; <question>.label if not set',
  },
  {
    name: 'id-field',
    type: 'string',
    value: 'name',
    summary: 'with --labels, the field with the id of the row',
    defaultText: 'index, else id',
  },
] as const

/** The values of these flags, and of those for the delimiter and encoding of the file. */
export interface LabelFlags extends TextForm {
  readonly labels: string | undefined
  readonly label: ReadonlyArray<string>
  readonly 'id-field': string | undefined
}

import type { TextFlags } from '../../runs/rows/form'

/** Declares the flags of the commands that take labels from a file beside the run. */
export const labelFlags = [
  {
    name: 'labels',
    type: 'string',
    placeholder: 'path',
    summary: 'a file with the labels (.csv, otherwise JSONL); replaces those in the run',
    isFile: true,
  },
  {
    name: 'label',
    type: 'strings',
    placeholder: 'question=field',
    summary: 'with --labels, the field with the labels of a question',
    shownDefault: '<question>.label',
  },
  {
    name: 'id-field',
    type: 'string',
    placeholder: 'name',
    summary: 'with --labels, the field with the ids of the rows',
    shownDefault: 'index, otherwise id',
  },
] as const

/** The values of `labelFlags`, and of the flags for the text of a table. */
export interface LabelFlags extends TextFlags {
  readonly labels: string | undefined
  readonly label: ReadonlyArray<string>
  readonly 'id-field': string | undefined
}

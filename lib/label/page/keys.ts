import type { PageAnswer, PageQuestion } from '../protocol'

/** The action of a key. */
export type KeyAction = PageAnswer | { readonly kind: 'undo' } | { readonly kind: 'note' }

/** A key press, as far as the page looks at it. */
export interface KeyPress {
  readonly key: string
  /** True if a text field has the focus, or if a modifier such as Ctrl is held. */
  readonly isForText: boolean
}

/** The keys of the first ten answers. */
export const digitKeys = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '0']

/** Finds the action of a key; `undefined` if it has none. */
export const findKeyAction = (
  { key, isForText }: KeyPress,
  question: PageQuestion,
): KeyAction | undefined => {
  if (isForText) return undefined
  const option = question.options[digitKeys.indexOf(key)]
  if (option !== undefined) return { kind: 'label', value: option.value }
  switch (key) {
    case 'u':
      return { kind: 'undo' }
    case 's':
      return { kind: 'skip' }
    case '?':
      return { kind: 'cannot tell' }
    case 'n':
      return { kind: 'note' }
    default:
      return undefined
  }
}

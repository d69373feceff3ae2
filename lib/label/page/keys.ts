import type { PageAnswer, PageQuestion } from '../protocol'

/** What a key asks the page to do. */
export type KeyAction = PageAnswer | { readonly kind: 'undo' } | { readonly kind: 'note' }

/** A key press, as far as the page looks at it. */
export interface KeyPress {
  readonly key: string
  /** Whether a text field has the focus, or a modifier such as Ctrl is held. */
  readonly isForOthers: boolean
}

/** The keys of the first ten answers. */
export const digitKeys = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '0']

/** Finds what a key does; `undefined` if it does nothing here. */
export const findKeyAction = (
  { key, isForOthers }: KeyPress,
  question: PageQuestion,
): KeyAction | undefined => {
  if (isForOthers) return undefined
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

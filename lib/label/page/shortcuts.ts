import { useLayoutEffect } from 'preact/hooks'
import type { PageQuestion } from '../protocol'

/** The action of a button or a key. */
export interface Action {
  /** The value of `KeyboardEvent.key`. Answers after the last key of their question have none. */
  readonly shortcut?: string | undefined
  readonly name: string
  readonly description?: string
  readonly run: () => void
}

/** The keys of choices: the digits in the order of the keyboard, then the letters without those of the tools `n`, `s` and `u`. */
const choiceKeys = [...'1234567890abcdefghijklmopqrtvwxyz']

/** Lists the keys of the answers to a question, in their order. The key of a level is its index. */
export const listAnswerKeys = ({
  type,
  options,
}: Pick<PageQuestion, 'type' | 'options'>): ReadonlyArray<string | undefined> =>
  options.map((_, i) => (type === 'score' ? String(i) : choiceKeys[i]))

/**
 * Runs an action when its key is pressed, except in the field for notes and beside an enlarged image. A key that is held down runs it
 * once.
 */
export const useKeys = (actions: ReadonlyArray<Action>, isEnabled: boolean): void => {
  // This runs after each rendering, because the actions change. `useEffect` would wait for the next frame, but keys must work as soon
  // as the row is there.
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.target instanceof HTMLInputElement || document.querySelector('dialog[open]')) return
      // Browsers would press a button again and again while Enter is held down.
      if (event.repeat && event.key === 'Enter') event.preventDefault()
      if (!isEnabled || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return
      const key = readKey(event)
      const action = actions.find(({ shortcut }) => shortcut === key)
      if (action === undefined) return
      event.preventDefault()
      action.run()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  })
}

/**
 * Returns the character of a key as a shortcut, also with caps lock. On layouts without Latin letters, and on those that need Shift for
 * digits, the place of the key decides.
 */
const readKey = ({ key, code, shiftKey }: KeyboardEvent): string => {
  if (/^[a-z\d?]$/i.test(key)) return key.toLowerCase()
  const place = /^(?:Digit|Key)([A-Z\d])$/.exec(code ?? '')?.[1]
  return place === undefined || shiftKey ? key : place.toLowerCase()
}

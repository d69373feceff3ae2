import type { Ref } from 'preact'
import type { Action } from './shortcuts'

interface ActionButtonProps extends Action {
  /** The class of the button. */
  readonly look?: string | undefined
  readonly buttonRef?: Ref<HTMLButtonElement>
}

/** A button with its key, if it has one. */
export const ActionButton = (props: ActionButtonProps) => {
  const { shortcut, name, description, run, look, buttonRef } = props
  return (
    <button
      type="button"
      ref={buttonRef}
      class={look}
      key={shortcut ?? name}
      aria-keyshortcuts={shortcut}
      onClick={run}
    >
      {shortcut === undefined ? null : <kbd>{shortcut}</kbd>}
      <span dir="auto">
        {name}
        {description ? <small>{description}</small> : null}
      </span>
    </button>
  )
}

/** `true` if single keys answer. The browser keeps the choice for later sessions. */
export interface KeySwitch {
  readonly isOn: boolean
  readonly toggle: () => void
}

/** The button that turns single-key shortcuts on and off. */
export const KeySwitchButton = ({ isOn, toggle }: KeySwitch) => (
  <button type="button" role="switch" class="switch" aria-checked={isOn} onClick={toggle}>
    Single-key shortcuts
  </button>
)

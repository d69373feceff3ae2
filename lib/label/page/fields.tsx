import { useRef, useState } from 'preact/hooks'
import type { PageField, PageStep } from '../protocol'

/** The content of a row: one text, or a list of named fields. */
export const Fields = ({ step }: { readonly step: PageStep }) => {
  const { fields } = step
  const [firstField] = fields
  if (firstField === undefined)
    return (
      <p class="hint">
        This row has no text. svc sample --rows adds the columns of your own table.
      </p>
    )
  // The only field of a row has no name.
  if (firstField.name === '') return <Content field={firstField} step={step} index={0} />
  return (
    <dl>
      {fields.map((field, index) => (
        <div key={field.name}>
          <dt dir="auto">{field.name}</dt>
          <dd>
            <Content field={field} step={step} index={index} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

interface ContentProps {
  readonly field: PageField
  readonly step: PageStep
  /** The position of the field in the row. */
  readonly index: number
}

const Content = ({ field, step, index }: ContentProps) => {
  const { format, text } = field
  switch (format) {
    case 'text':
      return <p dir="auto">{text}</p>
    case 'json':
      return <pre dir="auto">{text}</pre>
    case 'image':
      return <Photo source={`/images/${step.index}/${index}`} path={text} />
  }
}

interface PhotoProps {
  readonly source: string
  readonly path: string
}

/** An image that a click enlarges. If it cannot be loaded, the reason takes its place. */
const Photo = ({ source, path }: PhotoProps) => {
  const [fault, setFault] = useState('')
  const dialog = useRef<HTMLDialogElement>(null)
  const explain = async (): Promise<void> => {
    const response = await fetch(source).catch(() => undefined)
    // An image that the server has, but the browser cannot decode, has status 200.
    setFault(response?.status === 404 ? await response.text() : `cannot show the image ${path}`)
  }
  if (fault !== '') return <p class="problem">{fault}</p>
  return (
    <>
      <button type="button" class="photo" onClick={() => dialog.current?.showModal()}>
        <img src={source} alt={`${path}, click to enlarge`} onError={() => void explain()} />
      </button>
      <dialog ref={dialog}>
        <button type="button" onClick={() => dialog.current?.close()}>
          <img src={source} alt={`${path}, click to close`} />
        </button>
      </dialog>
    </>
  )
}

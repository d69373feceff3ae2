import type { Fault } from '../../codec/fault'
import { type ImageFormat, isBase64, type RequestImage } from '../../codec/images'
import { type JsonValue, memberIn, stringIn } from '../../codec/json/json'

/** An input whose images are replaced by their names. */
interface ExtractedImages {
  readonly input: JsonValue
  readonly images: ReadonlyArray<RequestImage>
  /** The invalid images. */
  readonly faults: ReadonlyArray<Fault>
}

const invalidDataUrl = {
  type: 'value',
  message: 'must be a data: URL with a PNG, JPEG or WebP image in base64',
} as const

/** Extracts the images of an input in OpenAI's form, and replaces them by names such as `image_1`. */
export const extractImages = (input: JsonValue): ExtractedImages => {
  if (!Array.isArray(input)) return { input, images: [], faults: [] }
  const images: RequestImage[] = []
  const faults: Fault[] = []
  /** Adds the image of a part to `images`, or a fault to `faults`. Returns the part with the name of the image. */
  const extractImage = (part: JsonValue, loc: Fault['loc']): JsonValue => {
    if (stringIn(memberIn(part, 'type')) !== 'input_image') return part
    const name = `image_${images.length + 1}`
    const image = parseDataUrl(name, stringIn(memberIn(part, 'image_url')) ?? '')
    if (image === undefined) faults.push({ ...invalidDataUrl, loc: [...loc, 'image_url'] })
    else images.push(image)
    return replaceMember(part, 'image_url', name)
  }
  const itemsWithNames = input.map((item, index) => {
    let newItem = item
    for (const member of ['content', 'output']) {
      const parts = memberIn(item, member)
      if (!Array.isArray(parts)) continue
      const newParts = parts.map((part, partIndex) =>
        extractImage(part, ['input', index, member, partIndex]),
      )
      newItem = replaceMember(newItem, member, newParts)
    }
    return newItem
  })
  return { input: images.length === 0 ? input : itemsWithNames, images, faults }
}

const replaceMember = (object: JsonValue, name: string, value: JsonValue): JsonValue =>
  object instanceof Map ? new Map([...object, [name, value]]) : object

/** Parses a URL such as `data:image/png;base64,iVBORw0K`; `undefined` if it is not an image of a supported format. */
const parseDataUrl = (name: string, url: string): RequestImage | undefined => {
  const [prefix, format] = /^data:image\/(png|jpeg|webp);base64,/.exec(url) ?? []
  if (prefix === undefined) return undefined
  const base64 = url.slice(prefix.length)
  return isBase64(base64) ? { name, format: format as ImageFormat, base64 } : undefined
}

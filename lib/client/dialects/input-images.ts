import type { Fault } from '../../codec/fault'
import { type ImageFormat, isBase64, type RequestImage } from '../../codec/images'
import { type JsonValue, memberIn, stringIn } from '../../codec/json/json'

/** An input whose images were taken out: the name of each is in its place. */
interface TakenImages {
  readonly input: JsonValue
  readonly images: ReadonlyArray<RequestImage>
  readonly faults: ReadonlyArray<Fault>
}

/** Takes the images out of an input of OpenAI's form, and puts names such as `image_1` in their places. */
export const extractImages = (input: JsonValue): TakenImages => {
  if (!Array.isArray(input)) return { input, images: [], faults: [] }
  const images: RequestImage[] = []
  const faults: Fault[] = []
  const takeFromParts = (content: JsonValue, loc: Fault['loc']): JsonValue =>
    Array.isArray(content)
      ? content.map((part, place) => {
          if (stringIn(memberIn(part, 'type')) !== 'input_image') return part
          const name = `image_${images.length + 1}`
          const url = stringIn(memberIn(part, 'image_url')) ?? ''
          const image = parseDataUrl(name, url)
          if (image === undefined) faults.push({ ...notData, loc: [...loc, place, 'image_url'] })
          else images.push(image)
          return replaceMember(part, 'image_url', name)
        })
      : content
  const taken = input.map((item, place) =>
    ['content', 'output'].reduce((changed, member) => {
      const content = memberIn(changed, member)
      return content === undefined
        ? changed
        : replaceMember(changed, member, takeFromParts(content, ['input', place, member]))
    }, item),
  )
  return images.length + faults.length === 0
    ? { input, images, faults }
    : { input: taken, images, faults }
}

const notData = {
  type: 'value',
  message: 'must be a data: URL with a PNG, JPEG or WebP image in base64',
} as const

const replaceMember = (object: JsonValue, name: string, value: JsonValue): JsonValue =>
  object instanceof Map ? new Map([...object, [name, value]]) : object

const parseDataUrl = (name: string, url: string): RequestImage | undefined => {
  const comma = url.indexOf(',')
  const [, format] = /^data:image\/(png|jpeg|webp);base64$/.exec(url.slice(0, comma)) ?? []
  const base64 = url.slice(comma + 1)
  return format !== undefined && isBase64(base64)
    ? { name, format: format as ImageFormat, base64 }
    : undefined
}

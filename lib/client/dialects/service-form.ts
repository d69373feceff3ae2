import { mediaTypeOf, type RequestImage } from '../../codec/images'
import { toObject } from '../../codec/json/draft'
import type { JsonObject, JsonValue } from '../../codec/json/json'

/**
 * The form in which a service takes images.
 *
 * - `none`: it takes no images, or its documentation names no form
 * - `dialect`: in the form of its dialect, which is `assets` for System One
 * - `data URLs`: in a list `images` beside the state, each as a `data:` URL
 * - `base64`: in a list `images` beside the state, each as base64 only
 * - `state parts`: in the state, which is then a list: the state, and for each image its name and a part `image_url`
 * - `OpenRouter`: in the form of the dialect for models of TypeSafe, and as `state parts` for all others
 */
export type ImageForm = 'none' | 'dialect' | 'data URLs' | 'base64' | 'state parts' | 'OpenRouter'

/** The differences between a service and the others of its dialect, in requests and responses. */
export interface ServiceForm {
  readonly images: ImageForm
  /** The place of the model in a request: its body, its body and its path, or none if the service has no choice of models. */
  readonly modelPlace: 'body' | 'path' | 'none'
  /** The member of a response that has the whole document; `undefined` if the response is the document. */
  readonly responseMember?: 'result' | 'response' | undefined
  /** The member of a yes/no answer that has the probability of a yes; `undefined` if it is `noul`. */
  readonly noulMember?: 'probability' | undefined
}

/** The form of a service that does what its dialect says. */
export const dialectForm: ServiceForm = { images: 'dialect', modelPlace: 'body' }

/** The place of the model in a path for asking. */
const modelPlaceholder = '{model}'

/** Returns the last part of a model's name, which services with the model in their path expect: `clef` of `@cf/cloudflare/clef`. */
const shortenModel = (model: string): string => model.slice(model.lastIndexOf('/') + 1)

/** Puts the model into a path or a URL that has a place for it. Returns any other text unchanged. */
export const insertModel = (text: string, model: string): string =>
  text.replace(modelPlaceholder, () => encodeURIComponent(shortenModel(model)))

/** Lists the member of a request body that names the model; empty for a service without a choice of models. */
export const listModelMember = (
  { modelPlace }: ServiceForm,
  model: string,
): ReadonlyArray<readonly ['model', string]> => {
  if (modelPlace === 'none') return []
  return [['model', modelPlace === 'path' ? shortenModel(model) : model]]
}

/** The parts of a System One request that images change. */
interface StateAndExtra {
  readonly state: JsonValue
  /** The members of the request besides model, state and questions. `assets` has the images. */
  readonly extra: JsonObject
}

/** Chooses the form of images for a model. */
export const chooseImageForm = (form: ImageForm, model: string): ImageForm => {
  if (form !== 'OpenRouter') return form
  return model.includes('typesafe/') ? 'dialect' : 'state parts'
}

/** Moves the images of a System One request from `assets` to where the service expects them. `form` is not `OpenRouter`. */
export const placeImages = <R extends StateAndExtra>(
  request: R,
  images: ReadonlyArray<RequestImage>,
  form: ImageForm,
): R => {
  const moveTo = (state: JsonValue, members: ReadonlyArray<readonly [string, JsonValue]>): R => {
    const others = [...request.extra].filter(([name]) => name !== 'assets')
    return { ...request, state, extra: new Map([...others, ...members]) }
  }
  switch (form) {
    case 'none':
    case 'dialect':
    case 'OpenRouter':
      return request
    case 'data URLs':
      return moveTo(request.state, [['images', images.map(formatDataUrl)]])
    case 'base64':
      return moveTo(request.state, [['images', images.map(({ base64 }) => base64)]])
    case 'state parts':
      return moveTo([request.state, ...images.flatMap(createStateParts)], [])
  }
}

/** Creates the elements of a state for an image: its name, and the image. */
const createStateParts = (image: RequestImage): ReadonlyArray<JsonValue> => [
  image.name,
  toObject({ type: 'image_url', image_url: { url: formatDataUrl(image) } }),
]

/** Formats an image as a `data:` URL. */
export const formatDataUrl = ({ format, base64 }: RequestImage): string =>
  `data:${mediaTypeOf(format)};base64,${base64}`

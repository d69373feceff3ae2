import * as E from 'fp-ts/Either'
import type { Destination } from '../../../client/providers/destination'
import { encodeText } from '../../../codec/json/draft'
import { type Failure, usage } from '../../../failure/failure'
import type { RecordedUsage } from '../../record/record'
import type { BatchPlan } from '../plan'
import type { PackCheck } from './pack-check'
import { createPackQuestions } from './pack-request'

/** The names of the options of packs, for messages. */
export interface PackOptionNames {
  readonly pack: string
  readonly packCheck: string
  readonly maxFlips: string
}

export const packFlagNames: PackOptionNames = {
  pack: '--pack',
  packCheck: '--pack-check',
  maxFlips: '--max-flips',
}

/** The way in which a run asks about several rows in one request. */
export interface Packing {
  readonly names: PackOptionNames
  /** The maximum number of rows in a request. */
  readonly size: number
  /** The maximum size of the states in a request, in bytes of JSON. A larger row is asked alone. */
  readonly maxStateBytes: number
  /** The comparison of packs with single rows at the start of the run; `undefined` if the run has none. */
  readonly check: PackCheck | undefined
  /** Called for each request about several rows. */
  readonly countRequest: () => void
  /** Returns the number of requests about several rows so far. */
  readonly requests: () => number
  /** Called with the tokens of a request whose answers are in no record, because its rows were asked again. */
  readonly addLostUsage: (usage: RecordedUsage) => void
}

/** Creates the packing of a run. */
export const createPacking = (options: Omit<Packing, 'countRequest' | 'requests'>): Packing => {
  let requests = 0
  return {
    ...options,
    countRequest: () => {
      requests += 1
    },
    requests: () => requests,
  }
}

/** The service and the model of a run in packs. */
export type PackDestination = Pick<
  Destination,
  'service' | 'maxQuestions' | 'maxBytes' | 'decidesJointly' | 'networkUrl' | 'model'
>

/** The names of models that read all questions of a request together, so that one row would influence another. */
const jointModelPattern = /clef|pplx-decider/i

/** 256 KiB. The maximum size of the states in a request, if the service does not allow less. */
const defaultMaxStateBytes = 256 << 10

/**
 * Returns the maximum size of the states in a request of `size` rows. Fails with a usage error if the service, the model or the
 * questions cannot be asked about several rows in one request. `option` is the name of the option with the size, for messages.
 */
export const checkPackSize = (
  size: number,
  { template, model = template.model }: Pick<BatchPlan, 'template' | 'model'>,
  destination: PackDestination,
  option = '--pack',
): E.Either<Failure, number> => {
  const { service, maxQuestions, maxBytes, decidesJointly, networkUrl } = destination
  if (networkUrl === undefined)
    return E.left(usage(`${option} is for services: ${service} answers in this process`))
  const modelName = model || destination.model
  const isJointModel = modelName !== undefined && jointModelPattern.test(modelName)
  if (decidesJointly || isJointModel) {
    const subject = decidesJointly ? service : modelName
    return E.left(
      usage(
        `${option} cannot be used with ${subject}: it decides the questions of a request together, so one row would change the answers to another`,
      ),
    )
  }
  for (const [id, question] of template.questions)
    if (question.type === 'other')
      return E.left(
        usage(`${option} cannot ask "${id}": svc does not know the type "${question.name}"`),
      )
  const questionCount = template.questions.length
  const count = size * questionCount
  if (maxQuestions !== undefined && count > maxQuestions) {
    const maxSize = Math.floor(maxQuestions / questionCount)
    const advice = maxSize < 2 ? `leave out ${option}` : `pass ${option} ${maxSize} or less`
    const reason = `${size} rows make ${count} questions of one request, and ${service} takes at most ${maxQuestions}`
    return E.left(usage(`${option} ${size}: ${reason}: ${advice}`))
  }
  if (maxBytes === undefined) return E.right(defaultMaxStateBytes)
  const questionBytes = encodeText(createPackQuestions(template.questions, size)).length
  return E.right(Math.max(0, Math.min(defaultMaxStateBytes, maxBytes - questionBytes)))
}

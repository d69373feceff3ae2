import * as E from 'fp-ts/Either'
import { checkEngineFlags, chooseKey } from '../../lib/cli/client'
import type { CommandOutcome } from '../../lib/cli/command-result'
import { openClientAt } from '../../lib/cli/open-client'
import {
  checkAndAsk,
  describeMissingList,
  fetchModels,
  type ObservedClient,
  tryAskRoute,
} from '../../lib/client/call/client'
import {
  type DestinationWithoutKey,
  resolveWithoutKey,
} from '../../lib/client/providers/destination'
import { toJson } from '../../lib/codec/json/draft'
import { itemsIn, type JsonValue, memberIn, stringIn } from '../../lib/codec/json/json'
import type { AskRequest } from '../../lib/codec/request'
import { type Failure, interrupted, usage } from '../../lib/failure/failure'
import {
  type AnsweredTrial,
  type DoctorContext,
  describeMissingModel,
  reportTrial,
  type Trial,
} from './doctor-report'

/** Runs `svc doctor`: reports where calls go, and whether a call succeeds. Fails like `resolveWithoutKey`. */
export const runDoctor = async (context: DoctorContext): Promise<CommandOutcome> => {
  const { ask, offline } = context.flags
  if (ask && offline) return E.left(usage('--ask cannot be combined with --offline'))
  const destination = await resolveWithoutKey(context.destinationSettings, context.runtime.env)
  if (E.isLeft(destination)) return destination
  const refusedFlag = checkEngineFlags(context, destination.right)
  if (E.isLeft(refusedFlag)) return refusedFlag
  const trial = offline ? undefined : await tryService(context, destination.right)
  if (trial?.failure?._tag === 'Interrupted') return E.left(interrupted)
  return E.right(await reportTrial(context, destination.right, trial))
}

/**
 * Fetches the list of models, if svc knows of one, without retries. With `--ask`, or if an engine in this process answers, it then asks
 * a question, unless the model is not in the list. Without, it only tries if the service knows the address for questions, which costs
 * nothing.
 */
const tryService = async (
  context: DoctorContext,
  destination: DestinationWithoutKey,
): Promise<Trial> => {
  const key = chooseKey(context, destination)
  if (E.isLeft(key)) return { failure: key.left }
  const globals = { ...context.globals, 'max-retries': 0 }
  const opened = await openClientAt({ ...context, globals }, { ...destination, key: key.right })
  if (E.isLeft(opened)) return { failure: opened.left }
  const client = opened.right
  const trial: Trial = destination.hasModelList
    ? await tryModelList(client)
    : adviseWithoutList(context, destination)
  if (trial.failure !== undefined) return trial
  const isListed = describeMissingModel(destination.settings.model, trial.models) === undefined
  // A question shows more about an engine in this process than its list of models.
  const asksQuestion = context.flags.ask || destination.engine !== undefined
  if (!asksQuestion)
    return destination.hasModelList ? { ...trial, failure: await tryAskRoute(client) } : trial
  if (!isListed) return trial
  const answer = await tryQuestion(client)
  return E.isLeft(answer) ? { ...trial, failure: answer.left } : { ...trial, answer: answer.right }
}

/** Says that no call was made, because svc knows of no list of models, and that `--ask` makes one. */
const adviseWithoutList = ({ flags }: DoctorContext, destination: DestinationWithoutKey): Trial =>
  flags.ask
    ? {}
    : { advice: `${describeMissingList(destination)}; to make a call: svc doctor --ask` }

const tryModelList = async (client: ObservedClient): Promise<Trial> => {
  const { clock } = client.runtime
  const startedMs = clock.monotonic()
  const listed = await fetchModels(client)
  const milliseconds = Math.round(clock.monotonic() - startedMs)
  if (E.isLeft(listed)) return { milliseconds, failure: listed.left.failure }
  const { requestId, models } = listed.right.value
  return { milliseconds, models: itemsIn(models).map(findModelName), requestId }
}

/** The question of `--ask`: a yes/no question, whose type is called `noul`. */
const trialQuestion = 'Does the text name a color?'

const tryQuestion = async (client: ObservedClient): Promise<E.Either<Failure, AnsweredTrial>> => {
  const request: AskRequest = {
    state: toJson('The sky is blue.'),
    questions: [['color', { type: 'noul', instructions: toJson(trialQuestion) }]],
    extra: new Map(),
  }
  const { clock } = client.runtime
  const startedMs = clock.monotonic()
  const response = await checkAndAsk(client, request)
  const milliseconds = Math.round(clock.monotonic() - startedMs)
  if (E.isLeft(response)) return E.left(response.left.failure)
  const answer = response.right.value.answers.get('color')
  const noul = answer?.type === 'noul' ? answer.noul : undefined
  return E.right({ question: trialQuestion, noul, milliseconds })
}

/**
 * Finds the name of a listed model; `''` if the entry has none. Services call the field `name` or `id`. Gemini puts `models/` before the
 * name.
 */
const findModelName = (entry: JsonValue): string => {
  const name = stringIn(memberIn(entry, 'name')) ?? stringIn(memberIn(entry, 'id')) ?? ''
  return name.replace(/^models\//, '')
}

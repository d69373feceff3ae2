/** Asks with openapi-fetch and the types that openapi-typescript has generated. Prints what `check.mjs` expects of every client. */
import createClient from 'openapi-fetch'
import { formatAnswers, questions, state } from './example'
import type { paths } from './generated/openapi-typescript'

const baseUrl = serviceUrl
const createClientWithKey = (key: string) =>
  createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } })
const client = createClientWithKey('k')

const { data } = await client.POST('/v1/questions', { body: { state, questions } })
const { billing, tone, urgency } = data?.answers ?? {}
if (billing?.type !== 'noul' || tone?.type !== 'choice' || urgency?.type !== 'score')
  throw new Error(JSON.stringify(data))
const labels = Object.keys(tone.probabilities ?? {})
console.log(formatAnswers(billing.noul, tone.choice, labels, urgency.score, urgency.legend ?? {}))

const models = await client.GET('/v1/models')
console.log(models.data?.models[0]?.name)

const refused = await createClientWithKey('wrong').POST('/v1/questions', {
  body: { state, questions },
})
console.log(refused.response.status, refused.error !== undefined && 'detail' in refused.error)

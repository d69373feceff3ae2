/** Asks with the client that @hey-api/openapi-ts has generated. Prints what `check.mjs` expects of every client. */
import { formatAnswers, questions, state } from './example'
import { askQuestions, listModels } from './generated/hey-api'
import { client } from './generated/hey-api/client.gen'

client.setConfig({ baseUrl: serviceUrl, auth: () => 'k' })

const { data } = await askQuestions({ body: { state, questions } })
const { billing, tone, urgency } = data?.answers ?? {}
if (billing?.type !== 'noul' || tone?.type !== 'choice' || urgency?.type !== 'score')
  throw new Error(JSON.stringify(data))
const labels = Object.keys(tone.probabilities ?? {})
console.log(formatAnswers(billing.noul, tone.choice, labels, urgency.score, urgency.legend ?? {}))

const models = await listModels()
console.log(models.data?.models[0]?.name)

const refused = await askQuestions({ auth: () => 'wrong', body: { state, questions } })
console.log(refused.response?.status, refused.error !== undefined && 'detail' in refused.error)

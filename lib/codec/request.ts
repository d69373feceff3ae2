import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as t from 'io-ts'
import { type Failure, usage, validation } from '../failure/failure'
import { type Draft, Entries } from '../json/draft'
import { type Json, type Member, members } from '../json/json'
import { parseJson } from '../json/parse'
import { byCodePoint } from './code-points'
import { anyObject, type Codec, json, record, string } from './combinators'
import { dotted, type Fault, firstFault, type Loc } from './fault'
import { errorsOf } from './object'
import { Question } from './question'
import { checkQuestion } from './question-limits'

/** The body of the ask operation. spec: Request document */
export interface AskRequest {
  readonly state: Json
  /** In document order; ids are unique. */
  readonly questions: ReadonlyArray<readonly [id: string, question: Question]>
  /** As the document has it. It may be the empty text. */
  readonly model?: string
  /** Other top-level members, forwarded unchanged. */
  readonly extra: ReadonlyArray<Member>
}

const questions = record(Question)
const own: ReadonlyArray<string> = ['state', 'questions', 'model']

/** The kind of `questions` is looked at before `model`, the questions themselves after it. */
const validate = (value: unknown, context: t.Context): t.Validation<AskRequest> => {
  const opened = anyObject.validate(value, context)
  if (E.isLeft(opened)) return opened
  const list = members(opened.right)
  const at = (name: string) => list.find(({ key }) => key === name)?.value
  const field = <A>(name: string, codec: Codec<A>): t.Validation<A> =>
    codec.validate(at(name), t.appendContext(context, name, codec, at(name)))
  const state = field('state', json)
  const kind = field('questions', anyObject)
  const model = at('model') ? field('model', string) : t.success(undefined)
  const asked = E.isRight(kind) ? field('questions', questions) : t.success([])
  const extra = list.filter(({ key }) => !own.includes(key))
  return E.isRight(state) && E.isRight(kind) && E.isRight(model) && E.isRight(asked)
    ? t.success({ state: state.right, questions: asked.right, model: model.right, extra })
    : E.left([state, kind, model, asked].flatMap(errorsOf))
}

/** The body without the members that are absent. */
const encode = (request: AskRequest): Draft =>
  new Entries([
    ...(request.model === undefined ? [] : [['model', request.model] as const]),
    ['state', request.state],
    ['questions', questions.encode(request.questions)],
    ...request.extra.map(({ name, value }) => [name, value] as const),
  ])

/** Request documents. Faults of structure are found here; `checkRequest` finds the rest. */
export const AskRequest: Codec<AskRequest> = new t.Type(
  'a request',
  (value): value is AskRequest => t.type({ state: json, questions }).is(value),
  validate,
  encode,
)

/** Reads the input of `svc ask`. Failures are usage errors. spec: `svc ask`, JSON mode 1-5, D12-D14 */
export const decodeRequest = (bytes: Uint8Array): E.Either<Failure, AskRequest> =>
  pipe(
    parseJson(bytes),
    E.mapLeft(({ message }) => usage(`invalid request JSON: ${message}`)),
    E.chain((document) =>
      pipe(
        AskRequest.decode(document),
        E.mapLeft((errors) => usage(usageMessage(firstFault(errors)))),
      ),
    ),
  )

/** A structural fault in the words of spec: `svc ask`, JSON mode 1-5. */
const usageMessage = ({ loc, type, message }: Fault): string => {
  const [field, id, ...rest] = loc
  if (field === undefined) return `invalid request JSON: the document ${message}`
  if (id === undefined)
    return type === 'missing'
      ? `invalid request: "${field}" is required`
      : `invalid request: ${field}: ${message}`
  const question = `invalid request: questions.${id}`
  if (rest.length === 0) return `${question}: ${message}`
  if (type === 'unknown_field') return `${question}: json: ${message}`
  if (rest[0] !== 'type') return `${question}: ${dotted(rest)} ${message}`
  return type === 'empty'
    ? `${question}.type: ${message}`
    : `${question}: must be an object with a "type"`
}

/** What a well-formed request may still have wrong, in the order it is reported. D11, D12, D14 */
export const requestFaults = (
  asked: ReadonlyArray<readonly [id: string, question: Question]>,
): ReadonlyArray<Fault> => {
  const loc: Loc = ['questions']
  if (asked.length === 0)
    return [{ loc, type: 'too_short', message: 'at least one question is required' }]
  const unnamed = asked.some(([id]) => id === '')
  const faulty = asked
    .map(([id, question]) => ({ id, faults: checkQuestion(question) }))
    .filter(({ faults }) => faults.length > 0)
    .sort((a, b) => byCodePoint(a.id, b.id))
  return [
    ...(unnamed
      ? [{ loc, type: 'empty', message: 'question ids must not be empty' } as const]
      : []),
    ...faulty.flatMap(({ id, faults }) =>
      faults.map((fault) => ({ ...fault, loc: [...loc, id, ...fault.loc] })),
    ),
  ]
}

/** The check just before sending; failures are validation errors. spec: Limits, D11, D12, D14 */
export const checkRequest = (request: AskRequest): E.Either<Failure, void> => {
  const [first] = requestFaults(request.questions)
  return first === undefined
    ? E.right(undefined)
    : E.left(validation(dotted(first.loc), first.message))
}

/** The `questions` of a request, as it carries them. */
export const encodeQuestions = (asked: AskRequest['questions']): Draft => questions.encode(asked)

/** The body as it is sent: `model` always, known questions re-encoded, the rest as it came. D47, D7 */
export const encodeRequest = (request: AskRequest, model: string): Draft =>
  AskRequest.encode({ ...request, model })

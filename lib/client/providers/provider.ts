import type { DialectName, KeyHeader } from '../dialects/dialect'
import type { ImageForm, ServiceForm } from '../dialects/service-form'
import type { EngineProviderName } from './provider-names'

/** A service that answers typed questions, or an engine in this process that does. */
export interface Provider {
  /** Describes the service in one line, for `svc doctor`. */
  readonly summary: string
  /** The base address. Absent if everyone runs a server of their own. */
  readonly address?: string
  /** The environment variable with another base address of this provider. */
  readonly addressVariable?: string
  /** Set if the variable has a host in the format of `OLLAMA_HOST`, not a URL. */
  readonly addressFormat?: 'ollama-host'
  /** The environment variable with the id of the account, which replaces `{account}` in `address`. */
  readonly accountVariable?: string
  /** Set if users have addresses of resources in Azure with paths of other APIs, such as `/openai/v1`. svc drops these paths. */
  readonly isAzureResource?: true
  /** The dialects of the service. The first is the default. */
  readonly dialects: ReadonlyArray<ProviderDialect>
  /** The environment variables that may have the key. The first one that is set has it; messages name the last one. */
  readonly keyVariables: ReadonlyArray<string>
  readonly needsKey: boolean
  /** The header of the key, if it differs from the dialect's. */
  readonly keyHeader?: KeyHeader
  /** Set if the provider is an engine in this process. Nothing is sent to a service, unless the engine asks one. */
  readonly engine?: EngineFacts
  /** Set if the service runs on this machine. Loading its model can take a minute. */
  readonly isLocal?: true
  /** The response header with the request id, if it differs from the dialect's. */
  readonly requestIdHeader?: string
  /** The maximum number of questions in a request, if the service has another limit than its dialect. */
  readonly maxQuestions?: number
  /** The maximum size of a request in bytes, if the service has a limit. */
  readonly maxBytes?: number
  /** Set if the service reads all questions of a request together, so that one can change the answers to another. */
  readonly decidesJointly?: true
  /** The form in which the service takes images; `none` if absent. */
  readonly images?: ImageForm
  /** Set if requests that are about images need TypeSafe's header for them. */
  readonly needsImagesHeader?: true
  /** The place of the model in a request, if it is not the body. */
  readonly modelPlace?: 'path' | 'none'
  /** The member of a response that has the whole document. */
  readonly responseMember?: ServiceForm['responseMember']
  /** The member of a yes/no answer that has the probability of a yes, if it is not `noul`. */
  readonly noulMember?: ServiceForm['noulMember']
  /** False if no list of models is known. */
  readonly hasModelList?: false
  /** The model of requests without one. If the service has no choice of models, the name that answers show for it. */
  readonly defaultModel?: string
  /** Advice on how to name a model. Required if there is no default model. */
  readonly modelHint?: string
}

/** The facts about an engine in this process. */
export interface EngineFacts {
  readonly name: EngineProviderName
  /** `true` if the engine asks a model server, whose address the user must name. */
  readonly asksServer: boolean
}

/** A dialect that a provider supports, and the paths that differ from the dialect's. */
export interface ProviderDialect {
  readonly name: DialectName
  /** `{model}` in it stands for the model. */
  readonly askPath?: string
  readonly modelsPath?: string
  /** The maximum number of questions in a request, if it differs from that of the provider. */
  readonly maxQuestions?: number
}

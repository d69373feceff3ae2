import * as E from 'fp-ts/Either'
import type { EngineCallFlag, EngineCallFlags } from '../../lib/cli/client'
import type { CommandOutcome } from '../../lib/cli/command-result'
import type { ContextWith } from '../../lib/cli/declaration'
import { makeSingleCall } from '../../lib/cli/single-call'
import { fetchModels } from '../../lib/client/call/client'
import { printEscaped } from '../../lib/codec/json/draft'
import { encodeModels } from '../../lib/codec/response'

type ModelsContext = ContextWith<EngineCallFlags, EngineCallFlag>

/** Runs `svc models`: fetches the list of models. */
export const runModels = async (context: ModelsContext): Promise<CommandOutcome> => {
  const call = await makeSingleCall(context, {
    describeOperation: ({ models }) => `GET ${models.path}`,
    use: { purpose: 'models' },
    call: fetchModels,
  })
  if (E.isLeft(call)) return call
  const document = encodeModels(call.right.value)
  return E.right({ stdout: printEscaped(document, context.globals.pretty) })
}

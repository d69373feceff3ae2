import * as E from 'fp-ts/Either'
import type { CommandOutcome } from '../../lib/cli/command-result'
import type { Context } from '../../lib/cli/declaration'
import { makeSingleCall } from '../../lib/cli/single-call'
import { fetchModels } from '../../lib/client/call/client'
import type { Destination } from '../../lib/client/providers/destination'
import { printEscaped } from '../../lib/codec/json/draft'
import { encodeModels } from '../../lib/codec/response'

/** Runs `svc models`: fetches the list of models. */
export const runModels = async (context: Context<readonly []>): Promise<CommandOutcome> => {
  const describeOperation = ({ models }: Destination) => `GET ${models.path}`
  const call = await makeSingleCall(context, describeOperation, fetchModels)
  if (E.isLeft(call)) return call
  const document = encodeModels(call.right.value)
  return E.right({ stdout: printEscaped(document, context.globals.pretty) })
}

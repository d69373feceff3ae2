import * as TE from 'fp-ts/TaskEither'
import type { AskRequest } from '../../codec/request'
import { type Failure, usage } from '../../failure/failure'
import type { Files } from '../../runtime/runtime'
import type { LoadedPolicy } from './policy'

/**
 * Reads the policy of `--policy`; `undefined` without the flag. If `questions` are known, checks that the policy was derived for
 * them. Fails with a usage error, also if `--pin` is set without `--policy`. Loads the code for policies only if there is a policy.
 */
export const readPolicyFlag = (
  { policy: path, pin }: { readonly policy: string | undefined; readonly pin: boolean },
  files: Pick<Files, 'read'>,
  questions?: AskRequest['questions'],
): TE.TaskEither<Failure, LoadedPolicy | undefined> => {
  if (path === undefined) return pin ? TE.left(usage('--pin needs --policy')) : TE.right(undefined)
  return async () => {
    const { loadPolicy } = await import('./decode')
    return loadPolicy({ path, pin }, files, questions)()
  }
}

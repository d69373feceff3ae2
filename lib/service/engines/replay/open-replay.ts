import * as TE from 'fp-ts/TaskEither'
import { usage } from '../../../failure/failure'
import type { PassthroughEngine } from '../../contract/engine'
import type { OpenEngine } from '../../contract/engine-settings'
import { openReplayEngine } from './engine'

/** Opens the engine that plays recorded answers. Fails with a usage error if there is no folder, or if it cannot be read. */
export const openReplay: OpenEngine<PassthroughEngine> = (settings, { runtime, names }) => {
  const { fixtures, strict } = settings
  return fixtures === undefined
    ? TE.left(usage(`${names.choice} needs ${names.nameOf('fixtures')}`))
    : openReplayEngine(fixtures, runtime.files, runtime.clock, strict)
}

import type { Runtime } from '../runtime/runtime'
import type { BuildInfo } from './build'
import type { AnyCommand } from './declaration'

/** Runs one command line and resolves with the exit code, once everything is written. Never rejects. */
export const main = async (
  _argv: ReadonlyArray<string>,
  _runtime: Runtime,
  _build: BuildInfo,
  _commands: ReadonlyArray<AnyCommand>,
): Promise<number> => 0

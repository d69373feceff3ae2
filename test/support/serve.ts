import { type ProgramResult, type RunningProgram, type StartOptions, startProgram } from './program'

/** A running `svc serve`. */
export interface ServeProcess extends RunningProgram {
  readonly url: string
  /** Sends a signal, SIGTERM by default. Resolves when the service has ended. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<ProgramResult>
}

/** Starts `svc serve` on a free port, by default with an empty environment. Resolves once it listens. */
export const startServe = async (
  flags: ReadonlyArray<string> = [],
  options: StartOptions = {},
): Promise<ServeProcess> => {
  const running = startProgram(['serve', '--port', '0', ...flags], { env: {}, ...options })
  // What follows the address makes sure that it is complete: a newline, or a quote in a line of JSON.
  const url = await running.waitForStderr(
    /(?<=^svc: listening on )http:\S+(?=\n)|(?<=^.*"listening","url":")http:[^"]+(?=")/m,
  )
  return {
    ...running,
    url,
    stop: (signal = 'SIGTERM') => {
      running.child.kill(signal)
      return running.ended
    },
  }
}

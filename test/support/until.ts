const maxWaitMs = 60_000
const pollIntervalMs = 10

/** Waits until a condition is true. Throws if it is still false after a minute. */
export const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  const deadline = performance.now() + maxWaitMs
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`never became true: ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, pollIntervalMs))
  }
}

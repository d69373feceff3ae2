/** Looks again and again until the condition holds; fails when it does not within 30 s. */
export const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  const end = performance.now() + 30_000
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`waited in vain for ${holds}`)
    await new Promise((next) => setTimeout(next, 10))
  }
}

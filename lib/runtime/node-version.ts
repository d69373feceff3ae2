/**
 * What is printed where this Node cannot run the program, `undefined` where it can. Node 20.16 and 22.3 brought what
 * the program asks of Node (`process.getBuiltinModule`), 20.19 is the oldest of its line that is tested. `version` is
 * without a `v`. The exit code is 1. D65
 */
export const refusal = (
  version: string,
): { readonly stdout: string; readonly stderr: string } | undefined => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 3) || (major === 20 && minor >= 19)) return undefined
  const message = `svc needs Node.js 20.19, 22.3 or newer; this is ${version}`
  return {
    stdout: `${JSON.stringify({ error: { kind: 'usage', message } })}\n`,
    stderr: `svc: ${message}\n`,
  }
}

/**
 * Returns what to print where this version of Node cannot run the program, `undefined` where it can. The
 * program needs `process.getBuiltinModule`, which came with Node 20.16 and 22.3; 20.19 is the oldest Node 20
 * that is tested. `version` is without the leading `v`. The exit code is 1. D65
 */
export const describeOldNode = (
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

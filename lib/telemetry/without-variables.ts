/**
 * Runs `build` where no `OTEL_` variable can be read. The SDK's constructors merge them into what
 * they are given (headers, for one), and a document is used as it is. spec: Tracing
 */
export const withoutVariables = <A>(build: () => A): A => {
  const hidden = Object.entries(process.env).filter(([name]) => /^OTEL_/i.test(name))
  for (const [name] of hidden) delete process.env[name]
  try {
    return build()
  } finally {
    Object.assign(process.env, Object.fromEntries(hidden))
  }
}

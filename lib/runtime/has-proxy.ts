const proxyVariables = ['https_proxy', 'http_proxy', 'all_proxy']

/** Whether the environment names a proxy at all, in either case. D24 */
export const hasProxy = (env: Readonly<Record<string, string | undefined>>): boolean =>
  proxyVariables.some((name) => Boolean(env[name] || env[name.toUpperCase()]))

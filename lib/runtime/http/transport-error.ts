/** Error codes for connection failures that Node has no code for. */
export const transportCode = {
  /** The proxy refused the call. The message says how. */
  proxy: 'ERR_PROXY',
  /** An environment variable does not name a usable proxy. The message names the variable. */
  proxySetting: 'ERR_PROXY_SETTING',
  /** The server switched to another protocol (status 101). */
  protocolSwitch: 'ERR_PROTOCOL_SWITCH',
} as const

/** Creates an error whose message may be shown to users: it holds no URL or credentials. */
export const transportError = (code: keyof typeof transportCode, message: string): Error =>
  Object.assign(new Error(message), { code: transportCode[code] })

/** Codes of the transport's own errors, beside those of Node. */
export const transportCode = {
  /** The proxy refuses the call; the message says how. */
  proxy: 'ERR_PROXY',
  /** A variable of the environment names no usable proxy; the message names it. */
  proxySetting: 'ERR_PROXY_SETTING',
  /** The server asks for another protocol (101). */
  protocolSwitch: 'ERR_PROTOCOL_SWITCH',
} as const

/** An error of the transport with a message made for users: no URL, no credentials. */
export const transportError = (code: keyof typeof transportCode, message: string): Error =>
  Object.assign(new Error(message), { code: transportCode[code] })

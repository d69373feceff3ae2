/** Codes of the transport's own errors, beside those of Node. */
export const transportCode = {
  /** The proxy is not usable; the message says why. */
  proxy: 'ERR_PROXY',
  /** The body is not what its `Content-Encoding` says; the message says how. */
  contentEncoding: 'ERR_CONTENT_ENCODING',
  /** The server asks for another protocol (101). */
  protocolSwitch: 'ERR_PROTOCOL_SWITCH',
} as const

/** An error of the transport with a message made for users: no URL, no credentials. */
export const transportError = (code: keyof typeof transportCode, message: string): Error =>
  Object.assign(new Error(message), { code: transportCode[code] })

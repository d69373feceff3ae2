import { getSystemErrorMap } from 'node:util'

/**
 * Descriptions of errors by code. If Node's wording differs from that of Go, they have Go's. `ENOTREGULAR` and `ELEAVESFOLDER` are codes of
 * svc.
 */
const reasons: Readonly<Record<string, string>> = {
  EISDIR: 'is a directory',
  ENOTDIR: 'not a directory',
  EEXIST: 'file exists',
  ENAMETOOLONG: 'file name too long',
  ELOOP: 'too many levels of symbolic links',
  ETXTBSY: 'text file busy',
  EBUSY: 'device or resource busy',
  ENXIO: 'no such device or address',
  EMFILE: 'too many open files',
  EIO: 'input/output error',
  ESTALE: 'another file was put in its place',
  ENOTREGULAR: 'not a regular file',
  ELEAVESFOLDER: 'a link leads out of the folder of the configuration; --follow-links allows it',
  ERR_INVALID_ARG_VALUE: 'invalid argument',
  ERR_FS_FILE_TOO_LARGE: 'file too large',
  ERR_OUT_OF_RANGE: 'file too large',
}

/**
 * Describes why a system call failed: `no such file or directory`, `permission denied`. Of an error with an unknown code, returns the
 * first line of its message.
 */
export const reasonOf = (error: unknown): string => {
  const code = codeOf(error)
  if (code !== undefined && Object.hasOwn(reasons, code)) return reasons[code] ?? code
  const systemErrors = [...getSystemErrorMap().values()]
  const [, description] = systemErrors.find(([name]) => name === code) ?? []
  if (description !== undefined) return description
  const message = error instanceof Error ? error.message : String(error)
  return message.split('\n')[0] ?? ''
}

/** Returns the `code` of an error of Node, such as `ENOENT`, or `undefined` if the value has none. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined

/** Creates an error with a code such as `ENOENT`, like those of Node. */
export const createSystemError = (code: string): Error => Object.assign(new Error(code), { code })

/** Error codes of svc for connection failures. Node has no codes for them. */
export const transportCode = {
  /** The proxy refused the connection. The message gives its answer. */
  proxy: 'ERR_PROXY',
  /** An environment variable has an invalid proxy address. The message names the variable. */
  proxySetting: 'ERR_PROXY_SETTING',
  /** The server switched to another protocol, with status 101. */
  protocolSwitch: 'ERR_PROTOCOL_SWITCH',
  /** The runtime has no working `node:http`. The message says what to do. */
  noHttp: 'ERR_NO_HTTP',
} as const

/** Creates an error whose message svc shows to users. The message must not contain a URL or credentials. */
export const createTransportError = (code: keyof typeof transportCode, message: string): Error =>
  Object.assign(new Error(message), { code: transportCode[code] })

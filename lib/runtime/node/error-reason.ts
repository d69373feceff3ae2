import { getSystemErrorMap } from 'node:util'

/**
 * Reasons by error code: Go's words where libuv, which Node uses, has different ones, and words for codes that
 * libuv does not have.
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
  ENOTREGULAR: 'not a regular file',
  ELEAVESFOLDER: 'a link leads out of the folder of the configuration; --follow-links allows it',
  ERR_INVALID_ARG_VALUE: 'invalid argument',
  ERR_FS_FILE_TOO_LARGE: 'file too large',
  ERR_OUT_OF_RANGE: 'file too large',
}

/** Why a system call failed, in a few words: `no such file or directory`, `permission denied`. */
export const reasonOf = (error: unknown): string => {
  const code = codeOf(error)
  if (code !== undefined && Object.hasOwn(reasons, code)) return reasons[code] ?? code
  const system = [...getSystemErrorMap().values()].find(([name]) => name === code)
  if (system !== undefined) return system[1]
  const message = error instanceof Error ? error.message : String(error)
  return message.split('\n')[0] ?? ''
}

/** The `code` of an error of Node, such as `ENOENT`. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined

/** Creates an error with a code, like those of system calls. */
export const systemError = (code: string): Error => Object.assign(new Error(code), { code })

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

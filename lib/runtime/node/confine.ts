import type { NetConnectOpts, Socket } from 'node:net'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { confinementVariable } from '../build'
import type { Files, Runtime } from '../runtime'
import { createSystemError } from './error-reason'

/**
 * Confines this process to its working folder and to one port of this machine. `svc fixtures --check` runs programs so, because a stranger
 * may have written their commands and files.
 */
export const confineRuntime = (runtime: Runtime): Runtime => {
  confineConnections(runtime.env[confinementVariable] ?? '')
  return { ...runtime, files: confineFiles(runtime.files, process.cwd()) }
}

/** Everything that leads to a connection, as `Socket.connect` gets it. Node has put its arguments into a list. */
type ConnectArguments = ReadonlyArray<unknown>

/**
 * Lets this process connect only to this port of this machine. At any other port of this machine nothing seems to listen, and no other
 * machine seems to exist: its name is not looked up.
 */
const confineConnections = (port: string): void => {
  const { Socket } = process.getBuiltinModule('node:net')
  const connect = Socket.prototype.connect as (...args: ConnectArguments) => Socket
  Socket.prototype.connect = function (this: Socket, ...args: ConnectArguments): Socket {
    const refusal = describeRefusal(findTarget(args), port)
    if (refusal === undefined) return connect.apply(this, [...args])
    process.nextTick(() => this.destroy(refusal))
    return this
  } as typeof Socket.prototype.connect
}

/** Finds the options of a connection in the arguments of `Socket.connect`: options, a port and a host, or the path of a socket. */
const findTarget = (args: ConnectArguments): Partial<Record<'path' | 'host' | 'port', unknown>> => {
  // `net.connect` passes a list of normalized arguments.
  const [first, second] = Array.isArray(args[0]) ? args[0] : args
  if (typeof first === 'object' && first !== null) return first as Partial<NetConnectOpts>
  return typeof first === 'string' && !/^\d+$/.test(first)
    ? { path: first }
    : { port: first, host: second }
}

/** Names of this machine. A name such as `a.localhost` may be looked up elsewhere. */
const thisMachine = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/i

const describeRefusal = (
  { path, host, port }: ReturnType<typeof findTarget>,
  allowedPort: string,
): Error | undefined => {
  const name = typeof host === 'string' && host !== '' ? host : 'localhost'
  // HTTP requests have a path of null.
  if (typeof path === 'string' || !thisMachine.test(name)) return createSystemError('ENOTFOUND')
  if (String(port) === allowedPort) return undefined
  // The error that Node makes if nothing listens.
  const refused = new Error(`connect ECONNREFUSED ${name}:${port}`)
  return Object.assign(refused, { code: 'ECONNREFUSED' })
}

/** Returns files of which only those in a folder can be reached. Any other path fails with `EACCES`. */
const confineFiles = (files: Files, folder: string): Files => {
  // Every function of `Files` takes a path first, except `saveTemporary`, which takes a name.
  type FileFunction = (path: string, ...rest: ReadonlyArray<unknown>) => unknown
  const functions = files as unknown as Readonly<Record<string, FileFunction>>
  const confined: Record<string, FileFunction> = {}
  for (const [name, call] of Object.entries(functions))
    confined[name] = (path, ...rest) => {
      if (name === 'saveTemporary' || !leadsOut(folder, path)) return call(path, ...rest)
      const error = createSystemError('EACCES')
      return name === 'chunks' ? failToIterate(error) : Promise.reject(error)
    }
  return confined as unknown as Files
}

/** Returns an iterable whose first step rejects. */
const failToIterate = (error: Error): AsyncIterable<never> => ({
  [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }),
})

/** Returns `true` if a path is not in the folder. Compares the texts of the paths only: svc makes no links in its working folder. */
const leadsOut = (folder: string, path: string): boolean => {
  const relativePath = relative(folder, resolve(folder, path))
  return relativePath === '..' || relativePath.startsWith(`..${sep}`) || isAbsolute(relativePath)
}

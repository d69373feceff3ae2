import { createSocket, type Socket } from 'node:dgram'
import { Resolver } from 'node:dns'
import { once } from 'node:events'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { boundedLookup } from '../../lib/telemetry/lookup'
import { stage } from './stage'

const test = suite('telemetry/lookup')

/** A name server that gives every question to `answer`. */
const withServer = async (
  answer: (question: Buffer) => Buffer | undefined,
  use: (resolver: Resolver, server: Socket) => Promise<void>,
): Promise<void> => {
  const server = createSocket('udp4')
  server.on('message', (question, { port, address }) => {
    const reply = answer(question)
    if (reply !== undefined) server.send(reply, port, address)
    server.emit('asked')
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  const resolver = new Resolver()
  resolver.setServers([`127.0.0.1:${server.address().port}`])
  await use(resolver, server)
  server.close()
}

/** The same question with the code for a name that does not exist. */
const noSuchName = (question: Buffer): Buffer => {
  const reply = Buffer.from(question)
  reply.writeUInt16BE(0x8183, 2)
  return reply
}

const never = new AbortController().signal

const found = (
  name: string,
  options: { hosts?: string; resolver?: Resolver; signal?: AbortSignal } = {},
): Promise<{ readonly error: NodeJS.ErrnoException | null; readonly address: unknown }> => {
  const { files } = stage({ files: { '/etc/hosts': options.hosts ?? '' } }).runtime
  const look = boundedLookup(files, options.signal ?? never, options.resolver)
  return new Promise((resolve) => {
    look(name, { all: false }, (error, address) => resolve({ error, address }))
  })
}

test('this machine is found without a name server', () =>
  withServer(
    () => undefined,
    async (resolver) => {
      const { error, address } = await found('localhost', { resolver })
      assert.is(error, null)
      assert.ok(address === '127.0.0.1' || address === '::1')
    },
  ))

test('a name of the hosts file goes to the system without a question', () =>
  withServer(
    () => {
      throw new Error('asked')
    },
    async (resolver) => {
      const hosts = '# collector.invalid\n10.0.0.1 other collector.invalid # x\n'
      const { error } = await found('collector.invalid', { hosts, resolver })
      assert.is(error?.syscall, 'getaddrinfo')
    },
  ))

test('where a name server answers, whatever it says, the system looks', () =>
  withServer(noSuchName, async (resolver) => {
    const { error } = await found('collector.invalid', { resolver })
    assert.is(error?.syscall, 'getaddrinfo')
  }))

test('a name server that says nothing is waited for until the signal, and the system never asked', () =>
  withServer(
    () => undefined,
    async (resolver, server) => {
      const end = new AbortController()
      const result = found('collector.invalid', { resolver, signal: end.signal })
      await once(server, 'asked')
      end.abort()
      assert.is((await result).error?.code, 'ECANCELLED')
    },
  ))

test.run()

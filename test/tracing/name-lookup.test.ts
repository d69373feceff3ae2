import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns'
import { once } from 'node:events'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createNameLookup } from '../../lib/tracing/name-lookup'
import { stage } from './stage'

const test = suite('tracing/name-lookup')

/** A name server that gives every question to `answer`. */
const withServer = async (
  answer: (question: Buffer) => Buffer | undefined,
  use: (resolver: Resolver) => Promise<void>,
): Promise<void> => {
  const server = createSocket('udp4')
  server.on('message', (question, { port, address }) => {
    const reply = answer(question)
    if (reply !== undefined) server.send(reply, port, address)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  const resolver = new Resolver({ timeout: 50, tries: 1 })
  resolver.setServers([`127.0.0.1:${server.address().port}`])
  await use(resolver)
  server.close()
}

/** The same question with the code for a name that does not exist. */
const noSuchName = (question: Buffer): Buffer => {
  const reply = Buffer.from(question)
  reply.writeUInt16BE(0x8183, 2)
  return reply
}

const found = (
  name: string,
  options: { hosts?: string; resolver?: Resolver } = {},
): Promise<{ readonly error: NodeJS.ErrnoException | null; readonly address: unknown }> => {
  const { files } = stage({ files: { '/etc/hosts': options.hosts ?? '' } }).runtime
  const look = createNameLookup(files, options.resolver)
  return new Promise((resolve) => {
    look(name, { all: false }, (error, address) => resolve({ error, address }))
  })
}

test('resolves this machine without a name server', () =>
  withServer(
    () => undefined,
    async (resolver) => {
      const { error, address } = await found('localhost', { resolver })
      assert.is(error, null)
      assert.ok(address === '127.0.0.1' || address === '::1')
    },
  ))

test('resolves a name of the hosts file without asking a name server', () =>
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

test('asks the system after any answer of a name server', () =>
  withServer(noSuchName, async (resolver) => {
    const { error } = await found('collector.invalid', { resolver })
    assert.is(error?.syscall, 'getaddrinfo')
  }))

test('gives up if a name server does not answer, without asking the system', () =>
  withServer(
    () => undefined,
    async (resolver) => {
      assert.is((await found('collector.invalid', { resolver })).error?.code, 'ETIMEOUT')
    },
  ))

test.run()

import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns'
import { once } from 'node:events'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createNameLookup } from '../../lib/tracing/name-lookup'
import { createRun } from './tracing-run'

const test = suite('tracing/name-lookup')

/** Calls `use` with a resolver whose name server answers with `answer`. Without an answer the resolver gives up after 50 ms. */
const withNameServer = async (
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

/** Answers that the name does not exist: the question with the response code NXDOMAIN. */
const answerNoSuchName = (question: Buffer): Buffer => {
  const reply = Buffer.from(question)
  reply.writeUInt16BE(0x8183, 2)
  return reply
}

/** Looks up a name on a machine with this hosts file. */
const lookUp = (
  name: string,
  options: { hosts?: string; resolver?: Resolver } = {},
): Promise<{ readonly error: NodeJS.ErrnoException | null; readonly address: unknown }> => {
  const { files } = createRun({ files: { '/etc/hosts': options.hosts ?? '' } }).runtime
  const lookup = createNameLookup(files, options.resolver)
  return new Promise((resolve) => {
    lookup(name, { all: false }, (error, address) => resolve({ error, address }))
  })
}

/** An error with this system call shows that the system was asked. It does not know `collector.invalid` either. */
const systemLookup = 'getaddrinfo'

test('resolves this machine without a name server', () =>
  withNameServer(
    () => undefined,
    async (resolver) => {
      const { error, address } = await lookUp('localhost', { resolver })
      assert.is(error, null)
      assert.ok(address === '127.0.0.1' || address === '::1')
    },
  ))

test('resolves a name of the hosts file without asking a name server', () =>
  withNameServer(
    () => {
      throw new Error('the name server was asked')
    },
    async (resolver) => {
      const hosts = '# collector.invalid\n10.0.0.1 other collector.invalid # x\n'
      const { error } = await lookUp('collector.invalid', { hosts, resolver })
      assert.is(error?.syscall, systemLookup)
    },
  ))

test('asks the system after any answer of a name server', () =>
  withNameServer(answerNoSuchName, async (resolver) => {
    const { error } = await lookUp('collector.invalid', { resolver })
    assert.is(error?.syscall, systemLookup)
  }))

test('gives up if a name server does not answer, without asking the system', () =>
  withNameServer(
    () => undefined,
    async (resolver) => {
      assert.is((await lookUp('collector.invalid', { resolver })).error?.code, 'ETIMEOUT')
    },
  ))

test.run()

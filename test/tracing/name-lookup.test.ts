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

/** Never answers a question. */
const neverAnswer = (): undefined => undefined

/** Answers that the name does not exist: the question with the response code NXDOMAIN. */
const answerNoSuchName = (question: Buffer): Buffer => {
  const reply = Buffer.from(question)
  // The flags of the reply: response, recursion desired and available, and the code 3 (NXDOMAIN)
  reply.writeUInt16BE(0x8183, 2)
  return reply
}

/**
 * Looks up a name. Resolves to the error and the address. The error is `null` if the lookup succeeds. `hosts` is the content of the hosts
 * file that svc reads. The operating system reads the hosts file of this machine instead.
 */
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

/**
 * The `syscall` of the error if the operating system looked up the name and failed, as it does for `collector.invalid`. The error of a
 * name server has another `syscall`.
 */
const systemLookup = 'getaddrinfo'

test('resolves localhost without a name server', () =>
  withNameServer(neverAnswer, async (resolver) => {
    const { error, address } = await lookUp('localhost', { resolver })
    assert.is(error, null)
    assert.ok(address === '127.0.0.1' || address === '::1')
  }))

test('leaves a name of the hosts file to the operating system, without asking a name server', async () => {
  let questionCount = 0
  const countQuestion = (): undefined => {
    questionCount += 1
  }
  await withNameServer(countQuestion, async (resolver) => {
    const hosts = '# a comment\n10.0.0.1 other collector.invalid # another comment\n'
    const { error } = await lookUp('collector.invalid', { hosts, resolver })
    // The hosts file of this machine does not have the name.
    assert.is(error?.syscall, systemLookup)
  })
  assert.is(questionCount, 0)
})

test('asks a name server for a name in a comment of the hosts file', () =>
  withNameServer(neverAnswer, async (resolver) => {
    const hosts = '# collector.invalid\n'
    const { error } = await lookUp('collector.invalid', { hosts, resolver })
    assert.is(error?.code, 'ETIMEOUT')
  }))

test('asks the operating system even if the name server says that the name does not exist', () =>
  withNameServer(answerNoSuchName, async (resolver) => {
    const { error } = await lookUp('collector.invalid', { resolver })
    assert.is(error?.syscall, systemLookup)
  }))

test('gives up if a name server does not answer, without asking the operating system', () =>
  withNameServer(neverAnswer, async (resolver) => {
    assert.is((await lookUp('collector.invalid', { resolver })).error?.code, 'ETIMEOUT')
  }))

test.run()

import { createPrivateKey, X509Certificate } from 'node:crypto'
import { Agent } from 'node:https'
import * as E from 'fp-ts/Either'
import { reasonOf } from '../runtime/reason'
import type { Runtime } from '../runtime/runtime'
import type { FileRef } from './config'
import type { OtlpConfig } from './otlp-exporter'
import { type Fault, fault } from './reader'

/**
 * The HTTPS agent of an exporter with TLS files, `undefined` without any. The files are read
 * and checked now, so that a fault names its place in the document. D34
 */
export const tlsAgent = async (
  { tls }: OtlpConfig,
  files: Runtime['files'],
): Promise<E.Either<Fault, Agent | undefined>> => {
  const { ca, cert, key } = tls
  if (ca === undefined && cert === undefined) return E.right(undefined)
  const read = {
    ca: await pem(ca, files, (text) => new X509Certificate(text)),
    cert: await pem(cert, files, (text) => new X509Certificate(text)),
    key: await pem(key, files, (text) => createPrivateKey(text)),
  }
  if (E.isLeft(read.ca)) return read.ca
  if (E.isLeft(read.cert)) return read.cert
  if (E.isLeft(read.key)) return read.key
  const options = { ca: read.ca.right, cert: read.cert.right, key: read.key.right }
  if (options.cert !== undefined && options.key !== undefined && key !== undefined) {
    const fits = new X509Certificate(options.cert).checkPrivateKey(createPrivateKey(options.key))
    if (!fits) return fault(key.path, 'does not belong to the certificate of cert_file')
  }
  return E.right(new Agent(options))
}

const pem = async (
  ref: FileRef | undefined,
  files: Runtime['files'],
  check: (text: string) => unknown,
): Promise<E.Either<Fault, string | undefined>> => {
  if (ref === undefined) return E.right(undefined)
  let text: string
  try {
    text = Buffer.from(await files.read(ref.file)).toString('latin1')
  } catch (error) {
    return fault(ref.path, `read ${ref.file}: ${reasonOf(error)}`)
  }
  return E.isRight(
    E.tryCatch(
      () => check(text),
      () => undefined,
    ),
  )
    ? E.right(text)
    : fault(ref.path, 'is not a PEM file of the right kind')
}

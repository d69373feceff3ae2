import { createPrivateKey, X509Certificate } from 'node:crypto'
import * as E from 'fp-ts/Either'
import { reasonOf } from '../runtime/reason'
import type { Runtime } from '../runtime/runtime'
import type { FileRef, OtlpConfig } from './config'
import { type Fault, fault } from './reader'

/** What a connection presents, and whom it trusts. */
export interface TlsOptions {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
}

/** Reads and checks the TLS files of an exporter, so that a fault names its place. D34 */
export const tlsOptions = async (
  { ca, cert, key }: OtlpConfig['tls'],
  files: Runtime['files'],
): Promise<E.Either<Fault, TlsOptions>> => {
  const authority = await pem(ca, files, (text) => new X509Certificate(text))
  if (E.isLeft(authority)) return authority
  const certificate = await pem(cert, files, (text) => new X509Certificate(text))
  if (E.isLeft(certificate)) return certificate
  const secret = await pem(key, files, createPrivateKey)
  if (E.isLeft(secret)) return secret
  const own = certificate.right
  const ownKey = secret.right
  if (key !== undefined && own !== undefined && ownKey !== undefined) {
    const fits = new X509Certificate(own).checkPrivateKey(createPrivateKey(ownKey))
    if (!fits) return fault(key.path, 'does not belong to the certificate of cert_file')
  }
  return E.right({
    ...(authority.right !== undefined && { ca: authority.right }),
    ...(own !== undefined && { cert: own }),
    ...(ownKey !== undefined && { key: ownKey }),
  })
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

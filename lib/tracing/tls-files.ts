import { createPrivateKey, X509Certificate } from 'node:crypto'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { formatLoc } from '../codec/fault'
import { reasonOf } from '../runtime/node/error-reason'
import type { Runtime } from '../runtime/runtime'
import type { FileRef, OtlpSettings } from './read-exporter'

/**
 * The certificate authorities that a connection trusts and the certificate it presents, as PEM text: options of
 * Node's TLS.
 */
interface TlsOptions {
  readonly ca: string | undefined
  readonly cert: string | undefined
  readonly key: string | undefined
}

/**
 * Reads and checks the TLS files of an exporter in advance, so that an error can name their place in the
 * document. D34
 */
export const readTlsFiles = (
  { ca_file, cert_file, key_file }: OtlpSettings['tls'],
  runtime: Pick<Runtime, 'files' | 'signal'>,
): TE.TaskEither<string, TlsOptions> =>
  pipe(
    TE.Do,
    TE.bind('ca', () => readPem(ca_file, runtime, (text) => new X509Certificate(text))),
    TE.bind('cert', () => readPem(cert_file, runtime, (text) => new X509Certificate(text))),
    TE.bind('key', () => readPem(key_file, runtime, createPrivateKey)),
    TE.filterOrElse(
      ({ cert, key }) =>
        !cert || !key || new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)),
      () => describeFaultAt(key_file, 'does not belong to the certificate of cert_file'),
    ),
  )

/**
 * The most bytes of a PEM file, more than all authorities of a system need. It ends the reading of a file that
 * has no end.
 */
const mostBytes = 4 << 20

const readPem = (
  ref: FileRef | undefined,
  { files, signal }: Pick<Runtime, 'files' | 'signal'>,
  check: (text: string) => unknown,
): TE.TaskEither<string, string | undefined> =>
  ref === undefined
    ? TE.right(undefined)
    : pipe(
        TE.tryCatch(
          () => files.readRegular(ref.file, { limit: mostBytes, signal }),
          (error) => describeFaultAt(ref, `read ${ref.file}: ${reasonOf(error)}`),
        ),
        TE.map(({ bytes }) => Buffer.from(bytes).toString('latin1')),
        TE.chainFirst((text) =>
          TE.tryCatch(
            async () => check(text),
            () => describeFaultAt(ref, 'is not a PEM file of the right kind'),
          ),
        ),
      )

const describeFaultAt = (ref: FileRef | undefined, cause: string): string =>
  `${formatLoc(ref?.loc ?? [])}: ${cause}`

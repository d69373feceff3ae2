import { createPrivateKey, X509Certificate } from 'node:crypto'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { dotted } from '../codec/fault'
import { reasonOf } from '../runtime/reason'
import type { Runtime } from '../runtime/runtime'
import type { FileRef, OtlpSettings } from './read-exporter'

/** Whom a connection trusts and what it presents, as PEM text: options of Node's TLS. */
export interface TlsOptions {
  readonly ca: string | undefined
  readonly cert: string | undefined
  readonly key: string | undefined
}

/** Reads and checks the TLS files of an exporter at once, so that an error names their place in the document. D34 */
export const readTlsFiles = (
  { ca_file, cert_file, key_file }: OtlpSettings['tls'],
  files: Runtime['files'],
): TE.TaskEither<string, TlsOptions> =>
  pipe(
    TE.Do,
    TE.bind('ca', () => pem(ca_file, files, (text) => new X509Certificate(text))),
    TE.bind('cert', () => pem(cert_file, files, (text) => new X509Certificate(text))),
    TE.bind('key', () => pem(key_file, files, createPrivateKey)),
    TE.filterOrElse(
      ({ cert, key }) =>
        !cert || !key || new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)),
      () => at(key_file, 'does not belong to the certificate of cert_file'),
    ),
  )

const pem = (
  ref: FileRef | undefined,
  files: Runtime['files'],
  check: (text: string) => unknown,
): TE.TaskEither<string, string | undefined> =>
  ref === undefined
    ? TE.right(undefined)
    : pipe(
        TE.tryCatch(
          () => files.read(ref.file),
          (error) => at(ref, `read ${ref.file}: ${reasonOf(error)}`),
        ),
        TE.map((bytes) => Buffer.from(bytes).toString('latin1')),
        TE.chainFirst((text) =>
          TE.tryCatch(
            async () => check(text),
            () => at(ref, 'is not a PEM file of the right kind'),
          ),
        ),
      )

const at = (ref: FileRef | undefined, cause: string): string =>
  `${dotted(ref?.loc ?? [])}: ${cause}`

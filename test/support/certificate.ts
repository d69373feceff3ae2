import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTemporaryFolder } from './folders'

/** A self-signed certificate and its key, as PEM. */
export interface Certificate {
  readonly key: string
  readonly cert: string
  /** The file with the certificate. It is removed when this process ends. */
  readonly path: string
  readonly keyPath: string
}

/** The DER tags of the elements of a certificate (X.509, RFC 5280). */
const derTags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectId: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
  dnsName: 0x82,
  ipAddress: 0x87,
  version: 0xa0,
  extensions: 0xa3,
} as const

/** Encodes a DER element: tag, length, content. */
const encodeElement = (tag: number, ...parts: ReadonlyArray<Uint8Array>): Buffer => {
  const content = Buffer.concat(parts)
  const { length } = content
  // 0x82 announces a length of two bytes.
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.of(tag, ...size), content])
}
const encodeSequence = (...parts: ReadonlyArray<Uint8Array>): Buffer =>
  encodeElement(derTags.sequence, ...parts)
const encodeBits = (content: Uint8Array): Buffer =>
  encodeElement(derTags.bitString, Buffer.of(0), content)
const encodeId = (hex: string): Buffer => encodeElement(derTags.objectId, Buffer.from(hex, 'hex'))
const encodeTime = (epochMs: number): Buffer => {
  const digits = new Date(epochMs).toISOString().replace(/\.\d+|\D/g, '')
  return encodeElement(derTags.utcTime, Buffer.from(`${digits.slice(2, 14)}Z`))
}

const ecdsaWithSha256 = encodeSequence(encodeId('2a8648ce3d040302'))
const commonName = encodeId('550403')
const subjectAltName = encodeId('551d11')
const basicConstraints = encodeId('551d13')

/** Makes a certificate for `localhost`, 127.0.0.1 and other host names. It is valid for two days around now. */
export const createCertificate = (...names: ReadonlyArray<string>): Certificate => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = encodeSequence(
    encodeElement(
      derTags.set,
      encodeSequence(
        commonName,
        encodeElement(derTags.utf8String, Buffer.from(names[0] ?? 'localhost')),
      ),
    ),
  )
  const hosts = ['localhost', ...names].map((host) =>
    encodeElement(derTags.dnsName, Buffer.from(host)),
  )
  const alternatives = encodeSequence(
    ...hosts,
    encodeElement(derTags.ipAddress, Buffer.of(127, 0, 0, 1)),
  )
  const authority = encodeSequence(encodeElement(derTags.boolean, Buffer.of(255)))
  const extensions = encodeSequence(
    encodeSequence(subjectAltName, encodeElement(derTags.octetString, alternatives)),
    encodeSequence(basicConstraints, encodeElement(derTags.octetString, authority)),
  )
  const dayMs = 86_400_000
  const toBeSigned = encodeSequence(
    encodeElement(derTags.version, encodeElement(derTags.integer, Buffer.of(2))),
    encodeElement(derTags.integer, Buffer.of(1), randomBytes(8)),
    ecdsaWithSha256,
    name,
    encodeSequence(encodeTime(Date.now() - dayMs), encodeTime(Date.now() + dayMs)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    encodeElement(derTags.extensions, extensions),
  )
  const signedCertificate = encodeSequence(
    toBeSigned,
    ecdsaWithSha256,
    encodeBits(sign('sha256', toBeSigned, privateKey)),
  )
  const lines = signedCertificate.toString('base64').replace(/.{64}(?!$)/g, '$&\n')
  const cert = `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return { key, cert, ...writePemFiles(cert, key) }
}

const writePemFiles = (cert: string, key: string): Pick<Certificate, 'path' | 'keyPath'> => {
  const folder = createTemporaryFolder()
  const paths = { path: join(folder, 'cert.pem'), keyPath: join(folder, 'key.pem') }
  writeFileSync(paths.path, cert)
  writeFileSync(paths.keyPath, key)
  return paths
}

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

/** Encodes a DER element: tag, length, content. */
const encodeElement = (tag: number, ...parts: ReadonlyArray<Uint8Array>): Buffer => {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.of(tag, ...size), content])
}
const encodeSequence = (...parts: ReadonlyArray<Uint8Array>): Buffer =>
  encodeElement(0x30, ...parts)
const encodeBits = (content: Uint8Array): Buffer => encodeElement(0x03, Buffer.of(0), content)
const encodeId = (hex: string): Buffer => encodeElement(0x06, Buffer.from(hex, 'hex'))
const encodeTime = (epochMs: number): Buffer => {
  const digits = new Date(epochMs).toISOString().replace(/\.\d+|\D/g, '')
  return encodeElement(0x17, Buffer.from(`${digits.slice(2, 14)}Z`))
}

const ecdsaWithSha256 = encodeSequence(encodeId('2a8648ce3d040302'))
const commonName = encodeId('550403')
const subjectAltName = encodeId('551d11')
const basicConstraints = encodeId('551d13')

/** Makes a certificate for `localhost`, 127.0.0.1 and other host names. It is valid for two days around now. */
export const makeCertificate = (...names: ReadonlyArray<string>): Certificate => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = encodeSequence(
    encodeElement(
      0x31,
      encodeSequence(commonName, encodeElement(0x0c, Buffer.from(names[0] ?? 'localhost'))),
    ),
  )
  const hosts = ['localhost', ...names].map((host) => encodeElement(0x82, Buffer.from(host)))
  const alternatives = encodeSequence(...hosts, encodeElement(0x87, Buffer.of(127, 0, 0, 1)))
  const authority = encodeSequence(encodeElement(0x01, Buffer.of(255)))
  const extensions = encodeSequence(
    encodeSequence(subjectAltName, encodeElement(0x04, alternatives)),
    encodeSequence(basicConstraints, encodeElement(0x04, authority)),
  )
  const dayMs = 86_400_000
  const toBeSigned = encodeSequence(
    encodeElement(0xa0, encodeElement(0x02, Buffer.of(2))),
    encodeElement(0x02, Buffer.of(1), randomBytes(8)),
    ecdsaWithSha256,
    name,
    encodeSequence(encodeTime(Date.now() - dayMs), encodeTime(Date.now() + dayMs)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    encodeElement(0xa3, extensions),
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

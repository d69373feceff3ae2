import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTemporaryFolder } from './folders'

/** A self-signed certificate and its key, as PEM. */
export interface Certificate {
  readonly key: string
  readonly cert: string
  /** The file with the certificate. It is removed when this process ends. */
  readonly certPath: string
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

/** Encodes a length below 64 Ki in as few bytes as possible, which DER requires. */
const encodeLength = (length: number): ReadonlyArray<number> => {
  if (length < 128) return [length]
  // 0x81 announces a length of one byte, 0x82 one of two bytes.
  return length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
}

/** Encodes a DER element: tag, length, content. The content must be shorter than 64 KiB. */
const encodeElement = (tag: number, ...parts: ReadonlyArray<Uint8Array>): Buffer => {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.of(tag, ...encodeLength(content.length)), content])
}
const encodeSequence = (...parts: ReadonlyArray<Uint8Array>): Buffer =>
  encodeElement(derTags.sequence, ...parts)
const encodeBitString = (content: Uint8Array): Buffer =>
  // The first byte is the number of unused bits.
  encodeElement(derTags.bitString, Buffer.of(0), content)
const encodeObjectId = (hex: string): Buffer =>
  encodeElement(derTags.objectId, Buffer.from(hex, 'hex'))
const encodeTime = (epochMs: number): Buffer => {
  const digits = new Date(epochMs).toISOString().replace(/\D/g, '')
  // UTCTime is `YYMMDDhhmmssZ`: it has neither the century nor milliseconds.
  return encodeElement(derTags.utcTime, Buffer.from(`${digits.slice(2, 14)}Z`))
}

// The object identifiers in DER: 1.2.840.10045.4.3.2, 2.5.4.3, 2.5.29.17 and 2.5.29.19.
const ecdsaWithSha256 = encodeSequence(encodeObjectId('2a8648ce3d040302'))
const commonName = encodeObjectId('550403')
const subjectAltName = encodeObjectId('551d11')
const basicConstraints = encodeObjectId('551d13')

/** Encodes the name of the issuer and the subject, which has only a common name. */
const encodeName = (text: string): Buffer => {
  const attribute = encodeSequence(commonName, encodeElement(derTags.utf8String, Buffer.from(text)))
  return encodeSequence(encodeElement(derTags.set, attribute))
}

/**
 * Encodes the extensions: the host names and 127.0.0.1, and that the certificate is an authority, so that a client can trust it
 * by itself.
 */
const encodeExtensions = (hostNames: ReadonlyArray<string>): Buffer => {
  const dnsNames = hostNames.map((name) => encodeElement(derTags.dnsName, Buffer.from(name)))
  const address = encodeElement(derTags.ipAddress, Buffer.of(127, 0, 0, 1))
  const alternativeNames = encodeSequence(...dnsNames, address)
  const isAuthority = encodeSequence(encodeElement(derTags.boolean, Buffer.of(255)))
  return encodeSequence(
    encodeSequence(subjectAltName, encodeElement(derTags.octetString, alternativeNames)),
    encodeSequence(basicConstraints, encodeElement(derTags.octetString, isAuthority)),
  )
}

/** Creates a certificate for `localhost`, 127.0.0.1 and these host names. It is valid from yesterday until tomorrow. */
export const createCertificate = (...hostNames: ReadonlyArray<string>): Certificate => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = encodeName(hostNames[0] ?? 'localhost')
  const dayMs = 86_400_000
  const toBeSigned = encodeSequence(
    // The number 2 is version 3.
    encodeElement(derTags.version, encodeElement(derTags.integer, Buffer.of(2))),
    // The serial number. Its first byte keeps it positive.
    encodeElement(derTags.integer, Buffer.of(1), randomBytes(8)),
    ecdsaWithSha256,
    name,
    encodeSequence(encodeTime(Date.now() - dayMs), encodeTime(Date.now() + dayMs)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    encodeElement(derTags.extensions, encodeExtensions(['localhost', ...hostNames])),
  )
  const signedCertificate = encodeSequence(
    toBeSigned,
    ecdsaWithSha256,
    encodeBitString(sign('sha256', toBeSigned, privateKey)),
  )
  // PEM has at most 64 characters on a line.
  const lines = signedCertificate.toString('base64').replace(/.{64}(?!$)/g, '$&\n')
  const cert = `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const certPath = join(createTemporaryFolder(), 'cert.pem')
  writeFileSync(certPath, cert)
  return { key, cert, certPath }
}

import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTemporaryFolder } from './folders'

/** A certificate that is its own authority, and its key, as PEM. */
export interface Certificate {
  readonly key: string
  readonly cert: string
  /** The certificate's file, while the process runs. */
  readonly path: string
  readonly keyPath: string
}

/** One DER element: tag, length, content. */
const der = (tag: number, ...parts: ReadonlyArray<Uint8Array>): Buffer => {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.of(tag, ...size), content])
}
const sequence = (...parts: ReadonlyArray<Uint8Array>): Buffer => der(0x30, ...parts)
const bits = (content: Uint8Array): Buffer => der(0x03, Buffer.of(0), content)
const id = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'))
const time = (at: number): Buffer => {
  const digits = new Date(at).toISOString().replace(/\.\d+|\D/g, '')
  return der(0x17, Buffer.from(`${digits.slice(2, 14)}Z`))
}

const ecdsaWithSha256 = sequence(id('2a8648ce3d040302'))
const commonName = id('550403')
const subjectAltName = id('551d11')
const basicConstraints = id('551d13')

/** Makes a certificate for `localhost`, 127.0.0.1 and `names`, valid today. */
export const makeCertificate = (...names: ReadonlyArray<string>): Certificate => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = sequence(
    der(0x31, sequence(commonName, der(0x0c, Buffer.from(names[0] ?? 'localhost')))),
  )
  const hosts = ['localhost', ...names].map((host) => der(0x82, Buffer.from(host)))
  const alternatives = sequence(...hosts, der(0x87, Buffer.of(127, 0, 0, 1)))
  const authority = sequence(der(0x01, Buffer.of(255)))
  const extensions = sequence(
    sequence(subjectAltName, der(0x04, alternatives)),
    sequence(basicConstraints, der(0x04, authority)),
  )
  const day = 86_400_000
  const signed = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1), randomBytes(8)),
    ecdsaWithSha256,
    name,
    sequence(time(Date.now() - day), time(Date.now() + day)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  )
  const whole = sequence(signed, ecdsaWithSha256, bits(sign('sha256', signed, privateKey)))
  const lines = whole.toString('base64').replace(/.{64}(?!$)/g, '$&\n')
  const cert = `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return { key, cert, ...inFiles(cert, key) }
}

const inFiles = (cert: string, key: string): Pick<Certificate, 'path' | 'keyPath'> => {
  const folder = createTemporaryFolder()
  const paths = { path: join(folder, 'cert.pem'), keyPath: join(folder, 'key.pem') }
  writeFileSync(paths.path, cert)
  writeFileSync(paths.keyPath, key)
  return paths
}

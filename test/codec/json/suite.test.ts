import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseJson } from '../../../lib/codec/json/parse'
import { readVectors } from '../../support/folders'

/** JSONTestSuite: svc accepts every `y_` document and refuses every `n_` document. */
const test = suite('json/suite')

type Entry = string | { readonly repeat: string; readonly times: number; readonly then?: string }
interface Vectors {
  readonly y: Readonly<Record<string, Entry>>
  readonly n: Readonly<Record<string, Entry>>
}

const documentOf = (entry: Entry): Buffer =>
  typeof entry === 'string'
    ? Buffer.from(entry, 'base64')
    : Buffer.from(entry.repeat.repeat(entry.times) + (entry.then ?? ''))

const vectors = readVectors<Vectors>('json-test-suite.json')

for (const [name, entry] of Object.entries(vectors.y))
  test(name, () => assert.ok(E.isRight(parseJson(documentOf(entry)))))

for (const [name, entry] of Object.entries(vectors.n))
  test(name, () => assert.ok(E.isLeft(parseJson(documentOf(entry)))))

test.run()

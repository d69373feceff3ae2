import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseJson } from '../../../lib/codec/json/parse'
import { readVectors } from '../../support/vectors'

const test = suite('json/suite')

/** A document as base64, or a text that is repeated, perhaps with another text after it. */
type SuiteDocument =
  | string
  | { readonly repeat: string; readonly times: number; readonly then?: string }

/** The valid (`y`) and invalid (`n`) documents of JSONTestSuite by file name. */
interface JsonTestSuite {
  readonly y: Readonly<Record<string, SuiteDocument>>
  readonly n: Readonly<Record<string, SuiteDocument>>
}

const createDocument = (entry: SuiteDocument): Buffer =>
  typeof entry === 'string'
    ? Buffer.from(entry, 'base64')
    : Buffer.from(entry.repeat.repeat(entry.times) + (entry.then ?? ''))

const documents = readVectors<JsonTestSuite>('json-test-suite.json')

for (const [name, entry] of Object.entries(documents.y))
  test(`accepts ${name}`, () => assert.ok(E.isRight(parseJson(createDocument(entry)))))

for (const [name, entry] of Object.entries(documents.n))
  test(`refuses ${name}`, () => assert.ok(E.isLeft(parseJson(createDocument(entry)))))

test.run()

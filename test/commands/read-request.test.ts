import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type RequestFlags,
  type RequestMode,
  readRequest,
  type StateSource,
  selectRequestMode,
} from '../../commands/request/read-request'
import { usage } from '../../lib/failure/failure'
import { createMemoryFiles } from '../support/files'
import { createFakeRuntime } from '../support/runtime'

const test = suite('commands/read-request')

const missingRequest = usage(
  'no request given: pass --file, pipe JSON to stdin, or use --state with --noul/--choice/--score',
  'request',
)

const noFlags: RequestFlags = {
  file: undefined,
  state: undefined,
  image: [],
  noul: [],
  choice: [],
  score: [],
}
/** The flag of a yes/no question. */
const questionFlags = { noul: ['k=q'] }

/** Selects the mode for a program whose standard input is a pipe. */
const selectWithPipe = (flags: Partial<RequestFlags>) =>
  selectRequestMode({ ...noFlags, ...flags }, { isTTY: false })

/** Selects the mode for a program whose standard input is a terminal. */
const selectWithTerminal = (flags: Partial<RequestFlags>) =>
  selectRequestMode({ ...noFlags, ...flags }, { isTTY: true })

/** The mode for a request document from this source. */
const documentMode = (source: Extract<RequestMode, { readonly kind: 'document' }>['source']) =>
  E.right({ kind: 'document', source })

test('reads a document from a terminal only with --file -', () => {
  assert.equal(selectWithTerminal({}), E.left(missingRequest))
  assert.equal(selectWithTerminal({ file: '-' }), documentMode({ from: 'stdin' }))
})

test('reads files, and a state from a terminal', () => {
  assert.equal(selectWithTerminal({ file: 'a' }), documentMode({ from: 'file', path: 'a' }))
  assert.ok(E.isRight(selectWithTerminal({ ...questionFlags, state: '-' })))
})

test('--state is stdin, a file or the text itself', () => {
  const cases: ReadonlyArray<readonly [state: string, source: StateSource]> = [
    ['-', { from: 'stdin' }],
    ['@a b', { from: 'file', path: 'a b' }],
    ['@-', { from: 'file', path: '-' }],
    ['', { from: 'text', text: '' }],
    ['0123', { from: 'text', text: '0123' }],
    [' @a', { from: 'text', text: ' @a' }],
    ['-x', { from: 'text', text: '-x' }],
  ]
  for (const [state, source] of cases) {
    const selected = selectWithPipe({ ...questionFlags, state })
    if (E.isLeft(selected) || selected.right.kind !== 'flags') throw new Error('expected flags')
    assert.equal(selected.right.state, source, state)
  }
})

test('treats a blank document as a missing request', async () => {
  for (const text of ['', ' ', '\n\t\r\v\f ', '\ufeff', '\ufeff \n'])
    for (const source of [{ from: 'stdin' }, { from: 'file', path: 'a.json' }] as const) {
      const { files } = createMemoryFiles({ 'a.json': text })
      const { runtime } = createFakeRuntime({ stdin: text, files })
      const read = await readRequest({ kind: 'document', source }, runtime)
      assert.equal(read, E.left(missingRequest), JSON.stringify(text))
    }
})

test.run()

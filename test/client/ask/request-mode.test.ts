import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type RequestFlags,
  type RequestMode,
  type StateSource,
  selectRequestMode,
} from '../../../lib/client/ask/request-mode'
import { usage } from '../../../lib/failure/failure'

const test = suite('ask/request-mode')

const noFlags: RequestFlags = {
  file: undefined,
  state: undefined,
  image: [],
  noul: [],
  choice: [],
  score: [],
}
const questionFlags = { noul: ['k=q'] }

/** Selects the mode for a program whose standard input is a pipe. */
const selectWithPipe = (flags: Partial<RequestFlags>) =>
  selectRequestMode({ ...noFlags, ...flags }, () => false)

/** Selects the mode for a program whose standard input is a terminal. */
const selectWithTerminal = (flags: Partial<RequestFlags>) =>
  selectRequestMode({ ...noFlags, ...flags }, () => true)

const documentMode = (source: Extract<RequestMode, { readonly mode: 'json' }>['source']) =>
  E.right({ mode: 'json', source })

test('reads a document from a terminal only with --file -', () => {
  const message =
    'no request given: pass --file, pipe JSON to stdin, or use --state with --noul/--choice/--score'
  assert.equal(selectWithTerminal({}), E.left(usage(message, 'request')))
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
    if (E.isLeft(selected) || selected.right.mode !== 'flags') throw new Error('expected flags')
    assert.equal(selected.right.state, source, state)
  }
})

test.run()

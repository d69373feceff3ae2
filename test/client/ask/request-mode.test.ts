import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type RequestFlags,
  type RequestMode,
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

const selectWith = (flags: Partial<RequestFlags>, isTTY = false) =>
  selectRequestMode({ ...noFlags, ...flags }, () => isTTY)

const documentMode = (source: Extract<RequestMode, { readonly mode: 'json' }>['source']) =>
  E.right({ mode: 'json', source })

test('reads a document from a terminal only with --file -', () => {
  const message =
    'no request given: pass --file, pipe JSON to stdin, or use --state with --noul/--choice/--score'
  assert.equal(selectWith({}, true), E.left(usage(message, 'request')))
  assert.equal(selectWith({ file: '-' }, true), documentMode({ from: 'stdin' }))
  assert.equal(selectWith({ file: 'a' }, true), documentMode({ from: 'file', path: 'a' }))
  assert.is(E.isRight(selectWith({ ...questionFlags, state: '-' }, true)), true)
})

test('--state is stdin, a file or the text itself', () => {
  const table = [
    ['-', { from: 'stdin' }],
    ['@a b', { from: 'file', path: 'a b' }],
    ['@-', { from: 'file', path: '-' }],
    ['', { from: 'text', text: '' }],
    ['0123', { from: 'text', text: '0123' }],
    [' @a', { from: 'text', text: ' @a' }],
    ['-x', { from: 'text', text: '-x' }],
  ] as const
  for (const [state, source] of table) {
    const selected = selectWith({ ...questionFlags, state })
    assert.equal(E.isRight(selected) && 'state' in selected.right && selected.right.state, source)
  }
})

test.run()

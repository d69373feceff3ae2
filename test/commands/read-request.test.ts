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
  questions: undefined,
  state: undefined,
  'state-json': undefined,
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

test('--state and --state-json are stdin, a file or the value itself', () => {
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
    for (const flag of ['state', 'state-json'] as const) {
      const selected = selectWithPipe({ ...questionFlags, [flag]: state })
      if (E.isLeft(selected) || selected.right.kind !== 'flags') throw new Error('expected flags')
      assert.equal(selected.right.state, { source, isJson: flag === 'state-json' }, state)
    }
  }
})

test('refuses flags that contradict each other', () => {
  const cases: ReadonlyArray<readonly [flags: Partial<RequestFlags>, message: string]> = [
    [
      { ...questionFlags, state: 'a', 'state-json': '1' },
      '--state-json cannot be combined with --state',
    ],
    [{ ...questionFlags, 'state-json': '@' }, '--state-json must name a file after @'],
    [
      { 'state-json': '1' },
      '--state-json needs at least one --noul, --choice, or --score question',
    ],
    [
      { questions: 'q.json', image: ['a=b'], file: 'r.json' },
      '--image cannot be combined with --file: a document has "assets"',
    ],
    [
      { questions: 'q.json', file: 'r.json' },
      '--questions cannot be combined with --file: pass --state with it instead',
    ],
    [{ questions: '-', state: '-' }, '--questions and --state cannot both read standard input'],
    [
      { questions: '-', 'state-json': '-' },
      '--questions and --state-json cannot both read standard input',
    ],
    [
      { file: 'r.json', 'state-json': '1' },
      '--file cannot be combined with --state, --noul, --choice, or --score',
    ],
  ]
  for (const [flags, message] of cases)
    assert.equal(selectWithPipe(flags), E.left(usage(message)), message)
  const missingState = selectWithPipe({ questions: 'q.json' })
  assert.equal(missingState, E.left(usage('--state is required when using --questions', 'state')))
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

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createSystemError, reasonOf } from '../../lib/runtime/node/error-reason'

const test = suite('runtime/error-reason')

const reasons: ReadonlyArray<readonly [code: string, reason: string]> = [
  ['ENOENT', 'no such file or directory'],
  ['EACCES', 'permission denied'],
  ['EISDIR', 'is a directory'],
  ['ENOTDIR', 'not a directory'],
  ['EEXIST', 'file exists'],
  ['ENOSPC', 'no space left on device'],
  ['EROFS', 'read-only file system'],
  ['EPERM', 'operation not permitted'],
  ['ELOOP', 'too many levels of symbolic links'],
  ['ENAMETOOLONG', 'file name too long'],
  ['ECONNREFUSED', 'connection refused'],
  ['ERR_INVALID_ARG_VALUE', 'invalid argument'],
]

test('describes the codes of system errors', () => {
  for (const [code, reason] of reasons) assert.is(reasonOf(createSystemError(code)), reason)
})

test('falls back to the first line of the message if the code is unknown', () => {
  assert.is(reasonOf(new Error('one\n    at two')), 'one')
  assert.is(reasonOf(createSystemError('EWEIRD')), 'EWEIRD')
  assert.is(reasonOf('text'), 'text')
  assert.is(reasonOf(Object.assign(new Error('x'), { code: 'constructor' })), 'x')
})

test.run()

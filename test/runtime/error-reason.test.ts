import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createSystemError, reasonOf } from '../../lib/runtime/node/error-reason'

const test = suite('runtime/error-reason')

const reasons: ReadonlyArray<{ readonly code: string; readonly reason: string }> = [
  { code: 'ENOENT', reason: 'no such file or directory' },
  { code: 'EACCES', reason: 'permission denied' },
  { code: 'EISDIR', reason: 'is a directory' },
  { code: 'ENOTDIR', reason: 'not a directory' },
  { code: 'EEXIST', reason: 'file exists' },
  { code: 'ENOSPC', reason: 'no space left on device' },
  { code: 'EROFS', reason: 'read-only file system' },
  { code: 'EPERM', reason: 'operation not permitted' },
  { code: 'ELOOP', reason: 'too many levels of symbolic links' },
  { code: 'ENAMETOOLONG', reason: 'file name too long' },
  { code: 'ECONNREFUSED', reason: 'connection refused' },
  { code: 'ERR_INVALID_ARG_VALUE', reason: 'invalid argument' },
]

test('describes the codes of system errors', () => {
  for (const { code, reason } of reasons) assert.is(reasonOf(createSystemError(code)), reason)
})

test('falls back to the first line of the message if the code is unknown', () => {
  assert.is(reasonOf(new Error('one\n    at two')), 'one')
  assert.is(reasonOf(createSystemError('EWEIRD')), 'EWEIRD')
  // Every object inherits a member `constructor`, also a table of codes.
  assert.is(reasonOf(Object.assign(new Error('x'), { code: 'constructor' })), 'x')
})

test('describes a thrown value that is no error by its text', () => {
  assert.is(reasonOf('text'), 'text')
})

test.run()

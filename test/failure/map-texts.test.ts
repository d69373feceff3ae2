import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  apiError,
  connection,
  type Failure,
  framework,
  internal,
  interrupted,
  invalidResponse,
  usage,
  validation,
} from '../../lib/failure/failure'
import { mapTexts } from '../../lib/failure/map-texts'

const test = suite('failure/map-texts')

const api = { operation: 'GET /v1/models', status: 401 }

const table: ReadonlyArray<readonly [before: Failure, after: Failure]> = [
  [interrupted, interrupted],
  [usage('a'), usage('A')],
  [framework('a'), framework('A')],
  [internal('a'), internal('A')],
  [validation('a', 'b'), validation('A', 'B')],
  [invalidResponse('a', 'b'), invalidResponse('A', 'B')],
  [
    apiError({ ...api, message: 'a', requestId: 'b' }),
    apiError({ ...api, message: 'A', requestId: 'B' }),
  ],
  [
    connection({ cause: 'a', host: 'b', timeout: '10s' }),
    connection({ cause: 'A', host: 'B', timeout: '10s' }),
  ],
  [
    connection({ cause: 'a', host: 'b', proxy: 'c' }),
    connection({ cause: 'A', host: 'B', proxy: 'C' }),
  ],
]

test('every text that came from outside is changed, and nothing else', () => {
  for (const [before, after] of table)
    assert.equal(
      mapTexts(before, (text) => text.toUpperCase()),
      after,
    )
})

test.run()

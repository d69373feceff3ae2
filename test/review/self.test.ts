import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { main } from '../../lib/cli/main'
import { unknownBuild } from '../../lib/runtime/build'
import { decodeRequestBody } from '../../lib/runtime/http/web-fetch'
import { nodeFiles } from '../../lib/runtime/node/files'
import type { Fetch } from '../../lib/runtime/runtime'
import { commands } from '../support/commands'
import { createTemporaryFolder, root } from '../support/folders'
import { createFakeRuntime } from '../support/runtime'

const test = suite('review: this project against its own spec')

const testFolder = join(root, 'test')
const readSelfFile = (name: string): string =>
  readFileSync(join(testFolder, 'review/self', name), 'utf8')

/** The answers about one unit, as the service gave them in an earlier review. */
interface RecordedAnswers {
  /** The probability that the tests cover a behavior, for each behavior. */
  readonly covers: ReadonlyArray<number>
  readonly contradicts: number
  readonly thorough: number
  readonly weakest: string
}

/** The answers by the heading of the unit's section. */
const answersByHeading: Readonly<Record<string, RecordedAnswers>> = JSON.parse(
  readSelfFile('answers.json'),
)

/** Each unit has these questions besides those about its behaviors: contradicts_spec, thoroughness and weakest_area. */
const otherQuestionCount = 3

/** Finds the recorded answers to the request about a unit. Throws if a file of the unit was not sent completely. */
const findAnswers = (requestBody: string): RecordedAnswers => {
  const { state, questions } = JSON.parse(requestBody)
  const answers = answersByHeading[state.spec.split('\n')[0]]
  assert.ok(answers, 'answers are recorded for the section')
  assert.is(Object.keys(questions).length, answers.covers.length + otherQuestionCount)
  assert.not.match(state.implementation, /\(truncated\)$/)
  assert.not.match(state.tests, /\(truncated\)$/)
  return answers
}

/** Formats the response of the service. An answer to a yes/no question is the probability of yes, `noul`. */
const formatResponse = (answers: RecordedAnswers): string => {
  // No unit has more than ten behaviors, so the ids have one digit after the 0.
  const covers = answers.covers.map((noul, index) => [`covers_0${index}`, { type: 'noul', noul }])
  return JSON.stringify({
    model: 'svc-1.13.0',
    answers: {
      ...Object.fromEntries(covers),
      contradicts_spec: { type: 'noul', noul: answers.contradicts },
      thoroughness: { type: 'score', score: answers.thorough, confidence: 0.8 },
      weakest_area: { type: 'choice', choice: answers.weakest, confidence: 0.6 },
    },
  })
}

/** Answers a request about a unit with its recorded answers. */
const fetchRecordedAnswers: Fetch = async (_, { body = '' }) => {
  const requestBody = Buffer.from(decodeRequestBody(body)).toString()
  const bytes = Buffer.from(formatResponse(findAnswers(requestBody)))
  async function* chunks() {
    yield bytes
  }
  return { status: 200, header: () => null, endsWithConnection: false, body: chunks() }
}

/** Runs `svc review` with the configuration of this project. */
const runReview = async (...flags: ReadonlyArray<string>) => {
  const { runtime, stdout, stderr } = createFakeRuntime({
    env: { SERVICE_API_KEY: 'k' },
    files: nodeFiles,
    fetch: fetchRecordedAnswers,
  })
  const config = join(testFolder, 'svc-review.json')
  const argv = ['review', '--units', config, ...flags]
  const exit = await main(argv, runtime, unknownBuild, commands)
  return { stdout: stdout(), stderr: stderr(), exit }
}

test('a dry run finds every section and file, and cuts no text', async () => {
  const { stdout, exit } = await runReview('--dry-run', '--json')
  assert.is(exit, 0)
  const units: ReadonlyArray<{ readonly truncated: boolean }> = JSON.parse(stdout)
  assert.is(units.length, Object.keys(answersByHeading).length)
  assert.ok(units.every(({ truncated }) => !truncated))
})

test('the project passes its review with the recorded answers', async () => {
  const reportPath = join(createTemporaryFolder(), 'report.json')
  const { stdout, stderr, exit } = await runReview('--report', reportPath)
  assert.fixture(stdout, readSelfFile('summary.md'))
  assert.is(stderr, 'review: ran 5 units\n')
  assert.is(exit, 0)
  const units: ReadonlyArray<{ readonly failing: boolean }> = JSON.parse(
    readFileSync(reportPath, 'utf8'),
  )
  assert.equal(
    units.map(({ failing }) => failing),
    [false, false, false, false, false],
  )
})

test.run()

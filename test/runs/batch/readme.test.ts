import * as E from 'fp-ts/Either'
import { load } from 'js-yaml'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseCommandLine } from '../../../lib/cli/parse'
import { exitCode } from '../../../lib/failure/classify'
import { parseRequirements } from '../../../lib/runs/gate/requirements'
import { commands } from '../../support/commands'
import { exampleOf } from '../../support/documents'

const test = suite('runs/batch/readme')

/** Looks up the value at a path of names and indexes. */
const at = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce((one: unknown, key) => (one as Record<string | number, unknown>)?.[key], value)

/** Splits a command line into words. Only words in single quotes hold blanks. */
const splitWords = (line: string): ReadonlyArray<string> =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')

/** Parses the flags of a line that calls svc. */
const parseFlags = (line: string): Readonly<Record<string, unknown>> => {
  const [program, ...argv] = splitWords(line)
  assert.is(program, 'svc')
  const parsed = parseCommandLine(argv, commands, {})
  if (E.isLeft(parsed)) throw new Error(`${line}: ${JSON.stringify(parsed.left)}`)
  return parsed.right.flags
}

test('the gate job of the README has valid commands, and svc gate reads what svc batch wrote', () => {
  const steps = at(load(exampleOf('yaml', 'gate-job')), 'jobs', 'cases', 'steps')
  const runs = (steps as ReadonlyArray<{ readonly run?: string }>).flatMap(({ run }) => run ?? [])
  const [batch, gate] = runs.filter((line) => line.startsWith('svc ')).map(parseFlags)
  assert.is(batch?.output, gate?.input)
  assert.ok(E.isRight(parseRequirements(gate?.require as ReadonlyArray<string>)))
})

test('the Indexed Job of the README has a shard per completion, and retries the right exit codes', () => {
  const spec = at(load(exampleOf('yaml', 'indexed-job')), 'spec')
  assert.is(at(spec, 'completionMode'), 'Indexed')
  const container = at(spec, 'template', 'spec', 'containers', 0)
  const line = String(at(container, 'args', 0)).replace(/^exec /, '')
  for (const index of [0, 7]) {
    const shell = line
      .replaceAll('$JOB_COMPLETION_INDEX', String(index))
      .replace(/\$\(\(JOB_COMPLETION_INDEX \+ 1\)\)/, String(index + 1))
    const flags = parseFlags(shell)
    assert.is(flags.shard, `${index + 1}/${at(spec, 'completions')}`)
    assert.is(flags.resume && flags['retry-errors'], true)
  }
  const rule = at(spec, 'podFailurePolicy', 'rules', 0)
  assert.is(at(rule, 'action'), 'FailIndex')
  assert.is(at(rule, 'onExitCodes', 'containerName'), at(container, 'name'))
  const { usage, validation, auth, request, flagged } = exitCode
  assert.equal(at(rule, 'onExitCodes', 'values'), [usage, validation, auth, request, flagged])
  const mounts = at(container, 'volumeMounts') as ReadonlyArray<{ readonly name: string }>
  const volumes = at(spec, 'template', 'spec', 'volumes') as ReadonlyArray<{
    readonly name: string
  }>
  assert.equal(
    mounts.map(({ name }) => name),
    volumes.map(({ name }) => name),
  )
})

test('the Ray Data example of the README asks as svc does', () => {
  const text = exampleOf('python', 'ray')
  assert.match(text, '/v1/questions')
  assert.match(text, '"Authorization"] = f"Bearer ')
  assert.ok(text.split('\n').every((line) => /^( {4})*\S|^$/.test(line)))
})

test.run()

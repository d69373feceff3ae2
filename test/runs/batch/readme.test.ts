import * as E from 'fp-ts/Either'
import { load } from 'js-yaml'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseCommandLine } from '../../../lib/cli/parse'
import { exitCodes } from '../../../lib/failure/report'
import { parseRequirements } from '../../../lib/runs/gate/requirements'
import { commands } from '../../support/commands'
import { readExample } from '../../support/documents'

const test = suite('runs/batch/readme')

/** Looks up the value at a path of names and indexes in a YAML document. `undefined` if it is absent. */
const lookUp = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce((part: unknown, key) => (part as Record<string | number, unknown>)?.[key], value)

/** Splits a command line into words. A word with spaces must be in single quotes. */
const splitWords = (line: string): ReadonlyArray<string> =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, unquoted]) => quoted ?? unquoted ?? '')

/** Parses a command line of svc. Returns its flags by name. */
const parseFlags = (line: string): Readonly<Record<string, unknown>> => {
  const [program, ...argv] = splitWords(line)
  assert.is(program, 'svc')
  const parsed = parseCommandLine(argv, commands, {})
  if (E.isLeft(parsed)) throw new Error(`${line}: ${JSON.stringify(parsed.left)}`)
  return parsed.right.flags
}

test('in the gate job of the README, svc gate reads the output of svc batch', () => {
  const steps = lookUp(load(readExample('yaml', 'gate-job')), 'jobs', 'cases', 'steps')
  // Steps without `run` have no line, and `?? []` leaves them out.
  const lines = (steps as ReadonlyArray<{ readonly run?: string }>).flatMap(({ run }) => run ?? [])
  const [batch, gate] = lines.filter((line) => line.startsWith('svc ')).map(parseFlags)
  assert.is(batch?.output, gate?.input)
  assert.ok(E.isRight(parseRequirements(gate?.require as ReadonlyArray<string>)))
})

test('the Indexed Job of the README runs a shard per completion, and does not retry failures that would happen again', () => {
  const spec = lookUp(load(readExample('yaml', 'indexed-job')), 'spec')
  assert.is(lookUp(spec, 'completionMode'), 'Indexed')
  const container = lookUp(spec, 'template', 'spec', 'containers', 0)
  const line = String(lookUp(container, 'args', 0)).replace(/^exec /, '')
  for (const index of [0, 7]) {
    // As the shell of the container expands the line.
    const expanded = line
      .replaceAll('$JOB_COMPLETION_INDEX', String(index))
      .replace(/\$\(\(JOB_COMPLETION_INDEX \+ 1\)\)/, String(index + 1))
    const flags = parseFlags(expanded)
    assert.is(flags.shard, `${index + 1}/${lookUp(spec, 'completions')}`)
    assert.is(flags.resume, true)
    assert.is(flags['retry-errors'], true)
  }
  const rule = lookUp(spec, 'podFailurePolicy', 'rules', 0)
  assert.is(lookUp(rule, 'action'), 'FailIndex')
  assert.is(lookUp(rule, 'onExitCodes', 'containerName'), lookUp(container, 'name'))
  const { usage, validation, auth, request, flagged } = exitCodes
  assert.equal(lookUp(rule, 'onExitCodes', 'values'), [usage, validation, auth, request, flagged])
  const mounts = lookUp(container, 'volumeMounts') as ReadonlyArray<{ readonly name: string }>
  const volumes = lookUp(spec, 'template', 'spec', 'volumes') as ReadonlyArray<{
    readonly name: string
  }>
  assert.equal(
    mounts.map(({ name }) => name),
    volumes.map(({ name }) => name),
  )
})

test('the Ray Data example of the README uses the path and the authorization of svc, and is indented by fours', () => {
  const code = readExample('python', 'ray')
  assert.match(code, '/v1/questions')
  assert.match(code, '"Authorization"] = f"Bearer ')
  const isIndentedByFours = (line: string): boolean => /^( {4})*\S|^$/.test(line)
  assert.ok(code.split('\n').every(isIndentedByFours))
})

test.run()

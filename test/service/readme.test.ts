import { loadAll } from 'js-yaml'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseCommandLine } from '../../lib/cli/parse'
import { commands } from '../support/commands'
import { readExample } from '../support/documents'

const test = suite('service: the README’s deployments')

/** Parses the YAML documents of a code block in the README or a help topic. */
const loadDocuments = (name: string): ReadonlyArray<unknown> => loadAll(readExample('yaml', name))

/** Returns the value at a path of names and indexes in a parsed YAML document; `undefined` if there is none. */
const readPath = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce((parent: unknown, key) => (parent as Record<string | number, unknown>)?.[key], value)

/** Splits a command line at its spaces. A word may have single quotes, as in a shell. */
const splitWords = (line: string): ReadonlyArray<string> =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain = '']) => quoted ?? plain)

/** Asserts that svc accepts a list of command-line arguments. */
const assertAccepted = (args: unknown): void => {
  const parseResult = parseCommandLine(args as ReadonlyArray<string>, commands, {})
  assert.is(parseResult._tag, 'Right', String(args))
}

test('Docker Compose: the flags exist, depends_on names services, and svc has two replicas', () => {
  const [compose] = loadDocuments('compose')
  assertAccepted(readPath(compose, 'services', 'svc', 'command'))
  const names = Object.keys(readPath(compose, 'services') as object)
  for (const name of names) {
    const dependsOn = readPath(compose, 'services', name, 'depends_on') ?? []
    const dependencies = Array.isArray(dependsOn) ? dependsOn : Object.keys(dependsOn as object)
    for (const dependency of dependencies) assert.ok(names.includes(dependency), dependency)
  }
  assert.is(readPath(compose, 'services', 'svc', 'deploy', 'replicas'), 2)
})

test('Kubernetes: the flags exist, and labels, ports and probes fit together', () => {
  const [deployment, service, scaler] = loadDocuments('kubernetes')
  assert.equal([readPath(deployment, 'kind'), readPath(service, 'kind')], ['Deployment', 'Service'])
  const container = readPath(deployment, 'spec', 'template', 'spec', 'containers', 0)
  assertAccepted(readPath(container, 'args'))
  const scaleTarget = readPath(scaler, 'spec', 'scaleTargetRef')
  assert.equal(readPath(scaleTarget, 'name'), readPath(deployment, 'metadata', 'name'))
  const labels = readPath(deployment, 'spec', 'template', 'metadata', 'labels')
  assert.equal(readPath(deployment, 'spec', 'selector', 'matchLabels'), labels)
  assert.equal(readPath(service, 'spec', 'selector'), labels)
  assert.is(
    readPath(service, 'spec', 'ports', 0, 'targetPort'),
    readPath(container, 'ports', 0, 'name'),
  )
  assert.is(readPath(container, 'ports', 0, 'containerPort'), 8787)
  const readProbePath = (probe: string): unknown => readPath(container, probe, 'httpGet', 'path')
  assert.equal(
    [readProbePath('livenessProbe'), readProbePath('readinessProbe')],
    ['/healthz', '/readyz'],
  )
  const graceSeconds = Number(
    readPath(deployment, 'spec', 'template', 'spec', 'terminationGracePeriodSeconds'),
  )
  const preStopSeconds = Number(readPath(container, 'lifecycle', 'preStop', 'exec', 'command', 1))
  // The `drainTimeoutMs` of `svc serve`: after SIGTERM it waits this long for requests in flight.
  const drainSeconds = 10
  assert.ok(graceSeconds > preStopSeconds + drainSeconds)
})

test('systemd: the flags exist', () => {
  const [, command = ''] = /^ExecStart=\S+\/svc (.*)$/m.exec(readExample('ini', 'systemd')) ?? []
  assertAccepted(splitWords(command))
})

test('Airflow: the flags of the commands exist', () => {
  const lines = [...readExample('python', 'airflow').matchAll(/"svc (.*)"$/gm)].map(
    ([, line = '']) => line,
  )
  assert.is(lines.length, 2)
  for (const line of lines) assertAccepted(splitWords(line))
})

test.run()

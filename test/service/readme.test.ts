import { loadAll } from 'js-yaml'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseCommandLine } from '../../lib/cli/parse'
import { commands } from '../support/commands'
import { readExample } from '../support/documents'

const test = suite('service: the README’s deployments')

const loadDocuments = (name: string): ReadonlyArray<unknown> => loadAll(readExample('yaml', name))

/** The value at a path of names and indexes. */
const readPath = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce((one: unknown, key) => (one as Record<string | number, unknown>)?.[key], value)

const expectAccepted = (args: unknown): void => {
  const parsed = parseCommandLine(args as ReadonlyArray<string>, commands, {})
  assert.is(parsed._tag, 'Right', String(args))
}

test('compose: it parses, its flags exist, its parts find each other', () => {
  const [compose] = loadDocuments('compose')
  expectAccepted(readPath(compose, 'services', 'svc', 'command'))
  const names = Object.keys(readPath(compose, 'services') as object)
  for (const name of names) {
    const needs = readPath(compose, 'services', name, 'depends_on') ?? []
    for (const other of Array.isArray(needs) ? needs : Object.keys(needs as object))
      assert.ok(names.includes(other), other)
  }
  assert.is(readPath(compose, 'services', 'svc', 'deploy', 'replicas'), 2)
})

test('Kubernetes: it parses, its flags exist, labels and ports agree', () => {
  const [deployment, service, scaler] = loadDocuments('kubernetes')
  assert.equal([readPath(deployment, 'kind'), readPath(service, 'kind')], ['Deployment', 'Service'])
  const container = readPath(deployment, 'spec', 'template', 'spec', 'containers', 0)
  expectAccepted(readPath(container, 'args'))
  const scaled = readPath(scaler, 'spec', 'scaleTargetRef')
  assert.equal(readPath(scaled, 'name'), readPath(deployment, 'metadata', 'name'))
  const labels = readPath(deployment, 'spec', 'template', 'metadata', 'labels')
  assert.equal(readPath(deployment, 'spec', 'selector', 'matchLabels'), labels)
  assert.equal(readPath(service, 'spec', 'selector'), labels)
  assert.is(
    readPath(service, 'spec', 'ports', 0, 'targetPort'),
    readPath(container, 'ports', 0, 'name'),
  )
  assert.is(readPath(container, 'ports', 0, 'containerPort'), 8787)
  const probed = (probe: string): unknown => readPath(container, probe, 'httpGet', 'path')
  assert.equal([probed('livenessProbe'), probed('readinessProbe')], ['/healthz', '/readyz'])
  const grace = Number(
    readPath(deployment, 'spec', 'template', 'spec', 'terminationGracePeriodSeconds'),
  )
  const wait = Number(readPath(container, 'lifecycle', 'preStop', 'exec', 'command', 1))
  assert.ok(grace > wait + 10, 'the grace period covers the wait and the drain')
})

test('systemd: its flags exist', () => {
  const [, command = ''] = /^ExecStart=\S+\/svc (.*)$/m.exec(readExample('ini', 'systemd')) ?? []
  expectAccepted(command.split(' '))
})

test('the flags of the commands in the recipes exist', () => {
  const lines = [...readExample('python', 'airflow').matchAll(/"svc (.*)"$/gm)].map(
    ([, line = '']) => line,
  )
  assert.is(lines.length, 2)
  for (const line of lines)
    expectAccepted([...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word))
})

test.run()

import { loadAll } from 'js-yaml'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseCommandLine } from '../../lib/cli/parse'
import { commands } from '../support/commands'
import { exampleOf } from '../support/documents'

const test = suite('service: the README’s deployments')

const documents = (name: string): ReadonlyArray<unknown> => loadAll(exampleOf('yaml', name))

/** The value at a path of names and indexes. */
const at = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce((one: unknown, key) => (one as Record<string | number, unknown>)?.[key], value)

const accepted = (args: unknown): void => {
  const parsed = parseCommandLine(args as ReadonlyArray<string>, commands, {})
  assert.is(parsed._tag, 'Right', String(args))
}

test('compose: it parses, its flags exist, its parts find each other', () => {
  const [compose] = documents('compose')
  accepted(at(compose, 'services', 'svc', 'command'))
  const names = Object.keys(at(compose, 'services') as object)
  for (const name of names) {
    const needs = at(compose, 'services', name, 'depends_on') ?? []
    for (const other of Array.isArray(needs) ? needs : Object.keys(needs as object))
      assert.ok(names.includes(other), other)
  }
  assert.is(at(compose, 'services', 'svc', 'deploy', 'replicas'), 2)
})

test('Kubernetes: it parses, its flags exist, labels and ports agree', () => {
  const [deployment, service, scaler] = documents('kubernetes')
  assert.equal([at(deployment, 'kind'), at(service, 'kind')], ['Deployment', 'Service'])
  const container = at(deployment, 'spec', 'template', 'spec', 'containers', 0)
  accepted(at(container, 'args'))
  const scaled = at(scaler, 'spec', 'scaleTargetRef')
  assert.equal(at(scaled, 'name'), at(deployment, 'metadata', 'name'))
  const labels = at(deployment, 'spec', 'template', 'metadata', 'labels')
  assert.equal(at(deployment, 'spec', 'selector', 'matchLabels'), labels)
  assert.equal(at(service, 'spec', 'selector'), labels)
  assert.is(at(service, 'spec', 'ports', 0, 'targetPort'), at(container, 'ports', 0, 'name'))
  assert.is(at(container, 'ports', 0, 'containerPort'), 8787)
  const probed = (probe: string): unknown => at(container, probe, 'httpGet', 'path')
  assert.equal([probed('livenessProbe'), probed('readinessProbe')], ['/healthz', '/readyz'])
  const grace = Number(at(deployment, 'spec', 'template', 'spec', 'terminationGracePeriodSeconds'))
  const wait = Number(at(container, 'lifecycle', 'preStop', 'exec', 'command', 1))
  assert.ok(grace > wait + 10, 'the grace period covers the wait and the drain')
})

test('systemd: its flags exist', () => {
  const [, command = ''] = /^ExecStart=\S+\/svc (.*)$/m.exec(exampleOf('ini', 'systemd')) ?? []
  accepted(command.split(' '))
})

test('the flags of the commands in the recipes exist', () => {
  const lines = [...exampleOf('python', 'airflow').matchAll(/"svc (.*)"$/gm)].map(
    ([, line = '']) => line,
  )
  assert.is(lines.length, 2)
  for (const line of lines)
    accepted([...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word))
})

test.run()

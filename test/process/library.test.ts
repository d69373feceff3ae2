import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { exampleOf } from '../support/documents'
import { root } from '../support/folders'
import { dist, folder, inShell, start } from '../support/program'

const test = suite('process: the programs of the page on the library')

/** Runs a program of the page, changed by `edit`, as a project that has the package installed does. */
const runExample = (name: string, url: string, command = `'${process.execPath}' ${name}.mjs`) => {
  writeFileSync(join(folder, `${name}.mjs`), exampleOf('js', name))
  return inShell(command, { SERVICE_BASE_URL: url, SERVICE_API_KEY: 'any', PORT: '0' })
}

test('each does what it says', async () => {
  const installed = join(folder, 'node_modules/typed-questions')
  mkdirSync(installed, { recursive: true })
  cpSync(dist, join(installed, 'dist'), { recursive: true })
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  writeFileSync(join(installed, 'package.json'), JSON.stringify({ exports }))
  cpSync(join(root, 'fixtures/calibrate/policy/run.jsonl'), join(folder, 'labelled.jsonl'))
  const service = start(['serve', '--port', '0'], { env: {} })
  const url = (await service.said(/http:\S+/)).trim()

  const ask = await runExample('library-ask', url)
  assert.match(ask.stdout, /^0\.\d+\ncharge\n$/, ask.stderr)
  const first = await runExample('library-batch', url)
  const second = await runExample('library-batch', url)
  assert.equal([first.stdout, second.stdout], ['2 asked\n', '0 asked\n'], first.stderr)
  const request = `'${process.execPath}' library-gate.mjs > port & pid=$!
    until [ -s port ]; do sleep 0.05; done
    for state in 'Does the customer ask for a refund?' 'Hello.'; do
      curl -s -o /dev/null -w '%{http_code} ' -d "$state" http://127.0.0.1:$(cat port)/
    done; kill $pid`
  const gate = await runExample('library-gate', url, request)
  assert.is(gate.stdout, '200 422 ', gate.stderr)
  const policy = await runExample('library-policy', url)
  assert.match(policy.stdout, /^(answer it|let a person look)\n$/, policy.stderr)
  const evaluation = await runExample('library-evaluate', url)
  assert.match(evaluation.stdout, /pass 1\n(.*\n)*.*fail 0\n/, evaluation.stderr)

  const both = `import { UsageError } from 'typed-questions'
    import { evaluate } from 'typed-questions/measure'
    evaluate([]).catch((error) => console.log(error instanceof UsageError))`
  writeFileSync(join(folder, 'both.mjs'), both)
  const caught = await inShell(`'${process.execPath}' both.mjs`, {})
  assert.is(caught.stdout, 'true\n', caught.stderr)

  service.child.kill()
  await service.ended
})

test.run()

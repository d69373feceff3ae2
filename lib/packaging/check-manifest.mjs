/** Run by npm before it publishes: refuses a manifest whose fields for users are empty. `npm pack` still works. */
import fs from 'node:fs'

const { repository, author, bugs } = JSON.parse(fs.readFileSync('package.json', 'utf8'))
const fields = { 'repository.url': repository?.url, author, 'bugs.url': bugs?.url }
const empty = Object.keys(fields).filter((name) => !fields[name])
if (empty.length > 0) {
  console.error(`not published: package.json has no ${empty.join(', no ')}`)
  process.exitCode = 1
}

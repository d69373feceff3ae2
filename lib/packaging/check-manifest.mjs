/** npm runs this before it publishes. It refuses a package.json that does not name the author, the repository and where to report bugs. */
import fs from 'node:fs'

const { repository, author, bugs } = JSON.parse(fs.readFileSync('package.json', 'utf8'))
const fields = { 'repository.url': repository?.url, author, 'bugs.url': bugs?.url }
const empty = Object.keys(fields).filter((name) => !fields[name])
if (empty.length > 0) {
  console.error(`not published: package.json has no ${empty.join(', no ')}`)
  process.exitCode = 1
}

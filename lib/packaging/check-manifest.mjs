/** npm runs this before it publishes the package. It fails unless package.json names the author, the repository and the page for bugs. */
import fs from 'node:fs'

const { repository, author, bugs } = JSON.parse(fs.readFileSync('package.json', 'utf8'))
const requiredFields = { 'repository.url': repository?.url, author, 'bugs.url': bugs?.url }
const missingNames = Object.keys(requiredFields).filter((name) => !requiredFields[name])
if (missingNames.length > 0) {
  console.error(`not published: package.json has no ${missingNames.join(', no ')}`)
  process.exitCode = 1
}

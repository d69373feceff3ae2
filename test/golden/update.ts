/**
 * Runs scenarios and writes their goldens and the pages made from them: `npm run golden:update [part of a name]…`. A golden is the
 * expected output of a scenario, in the folder `golden`. Prints what changed. Refuses to run in CI: there a golden that differs is a
 * failure.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findConversationFile, formatConversation } from '../../lib/replay/conversation'
import type { NamedScenario } from '../../lib/replay/scenarios'
import { pagePaths, readPage } from '../support/documents'
import { root } from '../support/folders'
import {
  fixturesReadme,
  formatFixturesReadme,
  readIfPresent,
  refreshConsoleBlocks,
} from './generated-pages'
import { updateGolden } from './golden-files'
import { listStrayFiles, readProjectScenarios } from './project-scenarios'
import { runInProcess } from './run-in-process'
import { drawPicture, pictures } from './terminal-picture'

/**
 * Updates the goldens of all scenarios, or of those whose name has one of the parts, and all generated pages. Removes golden files
 * of no scenario. Resolves with `false` if a scenario has problems.
 */
const updateAll = async (nameParts: ReadonlyArray<string>): Promise<boolean> => {
  const scenarios = readProjectScenarios()
  const isSelected = ({ name }: NamedScenario): boolean =>
    nameParts.length === 0 || nameParts.some((part) => name.includes(part))
  let hasProblems = false
  for (const namedScenario of scenarios.filter(isSelected))
    if (!(await updateScenario(namedScenario))) hasProblems = true
  for (const file of listStrayFiles(scenarios)) {
    // A stray file in `fixtures` may be unfinished work.
    if (!file.startsWith('golden/')) continue
    rmSync(join(root, file))
    console.log(`removed ${file}`)
  }
  writeIfChanged(fixturesReadme, formatFixturesReadme(scenarios))
  for (const { file, colours } of pictures) writeIfChanged(file, drawPicture(scenarios, colours))
  for (const path of pagePaths)
    writeIfChanged(join(root, path), refreshConsoleBlocks(readPage(path), scenarios))
  return !hasProblems
}

/** Runs a scenario and writes its golden and its conversation. Resolves with `false` if the run has problems. */
const updateScenario = async (namedScenario: NamedScenario): Promise<boolean> => {
  const outcome = await runInProcess(namedScenario)
  const conversationFile = findConversationFile(namedScenario)
  if (conversationFile !== undefined && outcome.turns !== undefined)
    writeIfChanged(conversationFile, formatConversation(outcome.turns))
  for (const line of updateGolden(namedScenario.name, outcome)) console.log(line)
  for (const problem of outcome.problems) console.log(`PROBLEM ${namedScenario.name}: ${problem}`)
  return outcome.problems.length === 0
}

/** Writes a text and prints the name of the file, unless the file has the text already. */
const writeIfChanged = (file: string, text: string): void => {
  if (readIfPresent(file) === text) return
  writeFileSync(file, text)
  console.log(`changed ${file.slice(root.length + 1)}`)
}

if (process.env.CI) {
  console.error('goldens are not rewritten in CI')
  process.exitCode = 1
} else {
  process.exitCode = (await updateAll(process.argv.slice(2))) ? 0 : 1
}

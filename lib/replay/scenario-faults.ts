import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, join, relative, sep } from 'node:path'
import { Ajv, type ErrorObject } from 'ajv'
import * as E from 'fp-ts/Either'
import { parseJson } from '../codec/json/parse'
import { reasonOf } from '../runtime/node/error-reason'
import { describePathFault, isInside } from './scenario-paths'
import { listVariableFaults } from './scenario-variables'
import {
  listScenarioFolders,
  type NamedScenario,
  parseScenario,
  readScenarioFile,
  type Scenario,
  type ScenarioContent,
  type ScenarioFolder,
} from './scenarios'
import schema from './svc-scenario.schema.json'

const validate = new Ajv({ allowUnionTypes: true }).compile<Scenario>(schema)

/**
 * Describes what is invalid in a `scenario.json`: its JSON, a difference from its JSON Schema, an environment variable that svc does not
 * read, or a path that leads out of the scenario's folder. Returns an empty list if it is valid.
 */
export const listScenarioFaults = (bytes: Uint8Array): ReadonlyArray<string> => {
  const document = parseJson(bytes)
  if (E.isLeft(document)) return [document.left.message]
  const scenario: unknown = parseScenario(bytes)
  if (!validate(scenario)) return [describeSchemaFault(scenario, validate.errors ?? [])]
  return [...listVariableFaults(scenario.env ?? {}), ...listNameFaults(scenario)]
}

/** A folder whose `scenario.json` is invalid, and the reasons. */
export interface InvalidScenario {
  readonly name: string
  readonly faults: ReadonlyArray<string>
}

/** The scenarios of a folder: those that are valid, and those that are not. */
export interface CheckedScenarios {
  readonly scenarios: ReadonlyArray<NamedScenario>
  readonly invalid: ReadonlyArray<InvalidScenario>
}

/** Reads and checks every scenario below `<root>/fixtures`, in order of name. */
export const readCheckedScenarios = (root: string): CheckedScenarios => {
  const scenarios: Array<NamedScenario> = []
  const invalid: Array<InvalidScenario> = []
  const folders = listScenarioFolders(root)
  const linkFaults = listLinkFaults(join(root, 'fixtures'), folders)
  for (const { name, folder } of folders) {
    const faults = [...(linkFaults.get(name) ?? [])]
    try {
      const bytes = readScenarioFile(folder)
      faults.push(...listScenarioFaults(bytes))
      if (faults.length === 0) scenarios.push({ name, folder, scenario: parseScenario(bytes) })
    } catch (error) {
      faults.push(reasonOf(error))
    }
    if (faults.length > 0) invalid.push({ name, faults })
    linkFaults.delete(name)
  }
  for (const [name, faults] of linkFaults) invalid.push({ name, faults })
  return { scenarios, invalid }
}

/** Lists the links below a folder that lead out of their scenario, by the name of the scenario, or else by the path of the link. */
const listLinkFaults = (
  fixtures: string,
  folders: ReadonlyArray<ScenarioFolder>,
): Map<string, ReadonlyArray<string>> => {
  const faults = new Map<string, ReadonlyArray<string>>()
  for (const path of listLinks(fixtures)) {
    const owner = folders.find(({ name }) => path.startsWith(`${name}/`))
    const target = resolveLink(join(fixtures, path))
    if (owner === undefined) {
      // svc does not look for scenarios behind a link.
      const hidesScenario = basename(path) === 'scenario.json' || target?.isFolder === true
      if (hidesScenario) faults.set(path, ['is a link'])
    } else if (target === undefined || !isInside(realpathSync(owner.folder), target.path)) {
      const fault = `${JSON.stringify(path.slice(owner.name.length + 1))} is a link that leads out of the folder`
      faults.set(owner.name, [...(faults.get(owner.name) ?? []), fault])
    }
  }
  return faults
}

/** Lists the links below a folder by their relative paths, sorted. */
const listLinks = (folder: string): ReadonlyArray<string> =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isSymbolicLink())
        .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
        .sort()
    : []

/** Resolves a link. Returns `undefined` if it leads nowhere. */
const resolveLink = (
  path: string,
): { readonly path: string; readonly isFolder: boolean } | undefined => {
  try {
    return { path: realpathSync(path), isFolder: statSync(path).isDirectory() }
  } catch {
    return undefined
  }
}

/** Describes the first difference from the schema, by its place in the document. */
const describeSchemaFault = (scenario: unknown, errors: ReadonlyArray<ErrorObject>): string => {
  const version = (scenario as Scenario | null)?.version as unknown
  if (typeof version === 'number' && version !== 1) return `version ${version} needs a later svc`
  const [error] = errors
  if (error === undefined) return 'is not a scenario'
  const place = error.instancePath === '' ? 'the document' : error.instancePath.slice(1)
  const { additionalProperty } = error.params
  return additionalProperty === undefined
    ? `${place} ${error.message}`
    : `${place} has an unknown member ${JSON.stringify(additionalProperty)}`
}

/** Lists the paths of a scenario that are not below its folder. */
const listNameFaults = (scenario: Scenario): ReadonlyArray<string> =>
  listPaths(scenario).flatMap(({ place, path }) => {
    const fault = describePathFault(path)
    return fault === undefined ? [] : [`${place}: ${JSON.stringify(path)} ${fault}`]
  })

interface PlacedPath {
  readonly place: string
  readonly path: string
}

/** Lists all paths of a scenario, each with the member that has it. */
const listPaths = ({
  stdin,
  conversation,
  crlf = [],
  files = {},
  exchanges = [],
}: Scenario): ReadonlyArray<PlacedPath> => {
  const paths: Array<PlacedPath> = []
  const add = (place: string, path: string | undefined): void => {
    if (path !== undefined) paths.push({ place, path })
  }
  const addContent = (place: string, content: ScenarioContent | undefined): void => {
    if (Array.isArray(content)) for (const part of content) addContent(place, part)
    else if (typeof content === 'object' && 'file' in content) add(place, content.file)
  }
  addContent('stdin', stdin)
  add('conversation', conversation)
  for (const path of crlf) add('crlf', path)
  for (const [path, content] of Object.entries(files)) {
    add('files', path)
    if (typeof content === 'string' || !('folder' in content)) addContent(`files ${path}`, content)
  }
  for (const { request, response } of exchanges) {
    add('bodyFile', request.bodyFile)
    add('bodyFile', response.bodyFile)
    addContent('bodyText', response.bodyText)
    addContent('raw', response.raw)
  }
  return paths
}

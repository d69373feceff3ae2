import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { load } from 'js-yaml'
import manifest from '../../package.json'
import { readExample } from '../support/documents'
import { createTemporaryFolder } from '../support/folders'

/** A step of a GitHub job. It runs a script, or uses an action. */
interface JobStep {
  readonly run?: string
  readonly uses?: string
  readonly env?: Environment
}

/** A job, as the documentation shows it. */
interface Job {
  readonly env?: Environment
  readonly steps: ReadonlyArray<JobStep>
}

type Environment = Readonly<Record<string, string>>

/** Reads a YAML example of the documentation: a workflow with one job, or only the steps of a job. */
export const readJob = (name: string): Job => {
  const document = load(readExample('yaml', name)) as
    | ReadonlyArray<JobStep>
    | { readonly jobs: Readonly<Record<string, Job>> }
  if (!('jobs' in document)) return { steps: document }
  const [job, ...others] = Object.values(document.jobs)
  if (job === undefined || others.length > 0) throw new Error(`${name} has not exactly one job`)
  return job
}

/** The result of a script of a job. */
export interface ScriptResult {
  readonly script: string
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A machine that runs jobs in one working folder, without access to the npm registry. */
export interface CiRunner {
  readonly cwd: string
  /** Runs a script as GitHub does. */
  readonly runScript: (script: string, env?: Environment) => ScriptResult
  /**
   * Runs the scripts of a job in order, up to the first that fails. Skips actions. An expression such as
   * `${{ secrets.KEY }}` in `env` gets its value from `values`, by the name `KEY`.
   */
  readonly runJob: (job: Job, values?: Environment) => ReadonlyArray<ScriptResult>
}

/** Creates a runner. If a script installs the current version of svc from npm, it gets `tarball` instead. */
export const createCiRunner = (tarball: string): CiRunner => {
  const cwd = createTemporaryFolder()
  const prefix = createTemporaryFolder()
  // npm refuses a prefix without this folder.
  mkdirSync(join(prefix, 'lib'))
  const publishedPackage = `${manifest.name}@${manifest.version}`
  const runScript = (script: string, env: Environment = {}): ScriptResult => {
    const args = ['-e', '-c', script.replaceAll(publishedPackage, tarball)]
    const result = spawnSync('bash', args, {
      cwd,
      encoding: 'utf8',
      env: {
        PATH: [join(prefix, 'bin'), process.env.PATH].join(delimiter),
        HOME: prefix,
        CI: 'true',
        npm_config_prefix: prefix,
        npm_config_offline: 'true',
        ...env,
      },
    })
    return { script, code: result.status, stdout: result.stdout, stderr: result.stderr }
  }
  return {
    cwd,
    runScript,
    runJob: (job, values = {}) => {
      const results: ScriptResult[] = []
      for (const step of job.steps) {
        if (step.run === undefined) continue
        const env = evaluateEnvironment({ ...job.env, ...step.env }, values)
        const result = runScript(step.run, env)
        results.push(result)
        if (result.code !== 0) break
      }
      return results
    },
  }
}

/** Replaces the expressions in the values of an environment. A missing value becomes `''`. */
const evaluateEnvironment = (env: Environment, values: Environment): Environment =>
  Object.fromEntries(
    Object.entries(env).map(([name, text]) => [
      name,
      text.replace(/\$\{\{ (?:vars|secrets)\.(\w+) \}\}/g, (_, key: string) => values[key] ?? ''),
    ]),
  )

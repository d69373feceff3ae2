/** Facts about the build of the program. */
export interface BuildInfo {
  /** `SVC_VERSION` in the environment at build time; `dev` if it is not set. */
  readonly version: string
  /** `SVC_COMMIT` in the environment at build time; `none` if it is not set. */
  readonly commit: string
  /** The version in package.json if built by `npm pack` or `npm publish`, otherwise `(devel)`. */
  readonly moduleVersion: string
  /** The full git revision; empty if the build did not know it. */
  readonly revision: string
  /** `true` if the working tree had uncommitted changes. */
  readonly modified: boolean
}

/** The facts of a program that runs from its sources, without a build. */
export const unknownBuild: BuildInfo = {
  version: 'dev',
  commit: '',
  moduleVersion: '',
  revision: '',
  modified: false,
}

/** The output of `svc version`. The keys are in alphabetical order. */
export interface Version {
  readonly commit: string
  /** The version of Node. The members have the names that are usual for Go programs. */
  readonly go: string
  readonly modified: boolean
  /**
   * The origin of `version`: `ldflags` for `SVC_VERSION` at build time, `module` for package.json. `vcs` means that only the
   * git revision is known, and `unknown` that svc runs without a build.
   */
  readonly source: 'ldflags' | 'module' | 'vcs' | 'unknown'
  readonly version: string
}

/**
 * Chooses the version, its source and the commit. `SVC_VERSION` overrides the version in package.json, which overrides the
 * git revision. `nodeVersion` is `process.version`.
 */
export const resolveVersion = (build: BuildInfo, nodeVersion: string): Version => {
  const revision = build.revision.slice(0, 7)
  const commit = revision === '' ? 'none' : revision
  const { modified } = build
  const go = nodeVersion
  if (build.version !== 'dev') {
    // The facts from git do not count.
    return { commit: build.commit, go, modified: false, source: 'ldflags', version: build.version }
  }
  if (build.moduleVersion !== '' && build.moduleVersion !== '(devel)') {
    return { commit, go, modified, source: 'module', version: build.moduleVersion }
  }
  if (revision !== '') {
    return { commit, go, modified, source: 'vcs', version: '(devel)' }
  }
  return { commit: 'none', go, modified: false, source: 'unknown', version: 'dev' }
}

/**
 * The environment variable with which `svc fixtures --check` confines the programs that it runs. Its value is the port of the service
 * on this machine that plays the scenario.
 */
export const confinementVariable = 'SVC_CONFINED_PORT'

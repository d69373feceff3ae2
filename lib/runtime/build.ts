/** What the build recorded about itself. Texts are empty where nothing is known. */
export interface BuildInfo {
  /** `SVC_VERSION` in the environment at build time; `dev` without it. */
  readonly version: string
  /** `SVC_COMMIT` in the environment at build time. */
  readonly commit: string
  /** The package version if built for publishing, else `(devel)`. */
  readonly moduleVersion: string
  /** The full git revision. */
  readonly revision: string
  /** Whether the working tree had uncommitted changes. */
  readonly modified: boolean
}

/** The build information of a program that runs from its sources. */
export const unknownBuild: BuildInfo = {
  version: 'dev',
  commit: '',
  moduleVersion: '',
  revision: '',
  modified: false,
}

/** The document of `svc version`, with its keys in alphabetical order. */
export interface Version {
  readonly commit: string
  readonly go: string
  readonly modified: boolean
  readonly source: 'ldflags' | 'module' | 'vcs' | 'unknown'
  readonly version: string
}

/**
 * Resolves version, commit and source by the first of four rules that applies. `nodeVersion` is
 * `process.version`.
 */
export const resolveVersion = (build: BuildInfo, nodeVersion: string): Version => {
  const revision = build.revision.slice(0, 7)
  const commit = revision === '' ? 'none' : revision
  const { modified } = build
  const go = nodeVersion
  if (build.version !== 'dev') {
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

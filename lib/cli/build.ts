/** What the bundler recorded; empty strings where nothing is known. D25 */
export interface BuildInfo {
  /** Injected (`SVC_VERSION`); `dev` when not. */
  readonly version: string
  /** Injected (`SVC_COMMIT`). */
  readonly commit: string
  /** The package version when built for publishing, `(devel)` otherwise. */
  readonly moduleVersion: string
  /** The full git revision. */
  readonly revision: string
  /** The tree had changes. */
  readonly modified: boolean
}

/** The build information of a program that was not built, such as one run from its sources. */
export const unknownBuild: BuildInfo = {
  version: 'dev',
  commit: '',
  moduleVersion: '',
  revision: '',
  modified: false,
}

/** Version output, keys in alphabetical order. spec: Version output */
export interface Version {
  readonly commit: string
  readonly go: string
  readonly modified: boolean
  readonly source: 'ldflags' | 'module' | 'vcs' | 'unknown'
  readonly version: string
}

/** First match of the four rules wins. `nodeVersion` is `process.version`. spec: Version output */
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

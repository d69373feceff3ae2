declare module 'read-cmd-shim' {
  /** Returns the path of the script that a shim of npm (`.cmd`, `.ps1`) starts, relative to the folder of the shim. */
  const readCommandShim: (path: string) => Promise<string>
  export default readCommandShim
}

/** The build copies a table beside the program. The import is its path, relative to the code that imports it. */
declare module '*.bin' {
  const path: string
  export default path
}

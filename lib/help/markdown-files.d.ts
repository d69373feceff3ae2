/** A Markdown file, which the build takes into the program as a text. */
declare module '*.md' {
  const text: string
  export default text
}

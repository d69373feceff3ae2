/** The text of a Markdown file. The build puts it into the program. */
declare module '*.md' {
  const text: string
  export default text
}

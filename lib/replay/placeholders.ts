// A scenario and its golden have placeholders such as `{base_url}` in place of values that differ from run to run. A text that has such
// letters itself has them in double braces: `{{base_url}}`.

const names = 'base_url|host|cwd|node|version'

/** Puts letters that look like a placeholder into double braces. */
export const escapePlaceholders = (text: string): string =>
  text.replaceAll(new RegExp(`\\{(${names})\\}`, 'g'), '{{$1}}')

/** Replaces the placeholders that have a value. Letters in double braces get single ones. */
export const expandPlaceholders = (
  text: string,
  values: Readonly<Record<string, string>>,
): string =>
  text.replaceAll(
    new RegExp(`\\{\\{(${names})\\}\\}|\\{(${names})\\}`, 'g'),
    (whole, literal: string | undefined, name = '') =>
      literal === undefined ? (values[name] ?? whole) : `{${literal}}`,
  )

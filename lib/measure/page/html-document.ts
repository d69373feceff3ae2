import * as E from 'fp-ts/Either'
import type { Failure } from '../../failure/failure'
import { runFileOperation } from '../../failure/named-files'
import type { Runtime } from '../../runtime/runtime'
import type { Redact } from '../../text/secret'
import { escapeText } from './markup'
import { colours, diagramStyle, pageStyle } from './style'

/** Writes the page of `--html` to a file, with secrets redacted. Does nothing if `path` is undefined. */
export const savePage = async (
  { files }: Pick<Runtime, 'files'>,
  path: string | undefined,
  formatPage: () => string,
  redact: Redact,
): Promise<E.Either<Failure, void>> =>
  path === undefined
    ? E.right(undefined)
    : runFileOperation(`write page ${path}`, () => files.replace(path, redact(formatPage())))()

/** Formats an HTML page. Its Content-Security-Policy allows no scripts and no network access. `content` is markup. */
export const formatHtmlDocument = (title: string, content: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeText(title)}</title>
<style>${colours}${diagramStyle}${pageStyle}</style>
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`

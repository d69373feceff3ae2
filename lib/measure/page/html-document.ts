import { escapeText } from './markup'
import { colours, diagramStyle, pageStyle } from './style'

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

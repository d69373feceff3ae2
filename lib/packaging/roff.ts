import { lexer, type Token, type Tokens } from 'marked'
import { describeRow } from '../help/render'

/** A command of roff and what follows it, or lines of text that are written already. */
type Lines = ReadonlyArray<string>

/** Escapes a text for roff: signs that it reads as commands, and those that `man` would print as typographic ones. */
export const escapeRoff = (text: string): string =>
  text
    .replaceAll('\\', '\\(rs')
    .replace(/[-'`^~]|[^\n -~]/g, (sign) => signs[sign] ?? `\\[u${writeHex(sign)}]`)
    .replace(/^(?=\.)/gm, '\\&')

const signs: Readonly<Record<string, string>> = {
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
  '\u00a0': '\\ ',
}

/** Writes the code of a character as roff names it, with at least four digits. */
const writeHex = (sign: string): string =>
  (sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')

/** Writes the head of a page of the manual, with its name and what it is about. */
export const writeHead = (name: string, section: 1 | 7, version: string, about: string): Lines => [
  `.TH ${escapeRoff(name.toUpperCase())} ${section} "" "svc ${version}" "svc"`,
  // Lines are neither stretched to the right edge nor broken inside of words.
  '.ad l',
  '.nh',
  ...writeSection('NAME', [`${escapeRoff(name)} \\- ${escapeRoff(about)}`]),
]

/** Writes a section of a page; nothing where it has no lines. */
export const writeSection = (title: string, lines: Lines): Lines =>
  lines.length === 0 ? [] : [`.SH ${escapeRoff(title.toUpperCase())}`, ...lines]

/** Writes a term in bold, and the paragraph that describes it. */
export const writeTerm = (term: string, description: string): Lines => [
  '.TP',
  `\\fB${escapeRoff(term)}\\fR`,
  ...(description === '' ? [] : [escapeRoff(description)]),
]

/** Writes lines that keep their breaks. */
export const writeVerbatim = (text: string): Lines => [
  ...['.PP', '.RS 4', '.nf'],
  ...escapeRoff(text.trimEnd()).split('\n'),
  ...['.fi', '.RE'],
]

/** Writes the blocks of a Markdown page in roff, without its first heading. */
export const writeBlocks = (markdown: string): Lines =>
  lexer(markdown).flatMap((block) =>
    block.type === 'heading' && (block as Tokens.Heading).depth === 1 ? [] : writeBlock(block),
  )

const writeBlock = (block: Token): Lines => {
  switch (block.type) {
    case 'heading':
      return [`.SH ${writeInline(block.tokens ?? [])}`]
    case 'paragraph':
      return ['.PP', writeInline(block.tokens ?? [])]
    case 'code':
      return writeVerbatim((block as Tokens.Code).text)
    case 'list':
      return writeList(block as Tokens.List)
    case 'table':
      return writeTable(block as Tokens.Table)
    default:
      return []
  }
}

const writeList = ({ items, ordered }: Tokens.List): Lines =>
  items.flatMap((item, index) => {
    const [first, ...rest] = item.tokens
    return [
      ordered ? `.IP ${index + 1}. 4` : '.IP \\(bu 2',
      writeInline((first as Tokens.Text | undefined)?.tokens ?? []),
      ...(rest.length === 0 ? [] : ['.RS 4', ...rest.flatMap(writeBlock), '.RE']),
    ]
  })

const writeTable = ({ header, rows }: Tokens.Table): Lines => {
  const titles = header.map((cell) => writeInline(cell.tokens))
  return rows.flatMap((row) => {
    const [term, described] = describeRow(
      titles,
      row.map((cell) => writeInline(cell.tokens)),
    )
    return ['.TP', term === '' ? '\\&' : term, ...(described === '' ? [] : [described])]
  })
}

/** Writes inline Markdown on one line of roff: code and strong words in bold, a link with its address. */
const writeInline = (tokens: ReadonlyArray<Token>): string =>
  tokens
    .map((token) => {
      switch (token.type) {
        case 'link': {
          const { href } = token as Tokens.Link
          const text = writeInline(token.tokens ?? [])
          // `\\:` is where a line may end.
          const address = escapeRoff(href).replaceAll('/', '/\\:')
          return /^https?:/.test(href) ? `${text} (${address})` : text
        }
        case 'strong':
          return `\\fB${writeInline(token.tokens ?? [])}\\fR`
        case 'em':
          return `\\fI${writeInline(token.tokens ?? [])}\\fR`
        case 'codespan':
          return `\\fB${escapeRoff((token as Tokens.Codespan).text)}\\fR`
        case 'escape':
        case 'text':
          return escapeRoff((token as Tokens.Text).text.replaceAll('\n', ' '))
        case 'br':
          return ' '
        default:
          return ''
      }
    })
    .join('')

import * as fc from '../support/fast-check'

/** Parts of commands of CI systems. */
const ciParts = [
  '##[',
  '##vso[',
  '##teamcity[',
  '#',
  '[',
  ']',
  '::',
  ':',
  'vso',
  'set-output name=a;',
]

/** Control characters, and characters that are invisible or change how a text looks. */
const invisibleParts = [
  '\n',
  '\r',
  '\r\n',
  '\t',
  ' ',
  '\u0000',
  '\u0085',
  '\u009b',
  '\u001b[31m',
  '\u00ad',
  '\u2028',
  '\u2029',
  '\u202e',
  '\u2066',
  '\u200b',
  '\u200d',
  '\ufe0f',
  '\ufeff',
  '\u{e0041}',
]

/** Parts of links, images, HTML, mentions and code in Markdown. */
const markdownParts = [
  'https://evil.com/a',
  'www.evil.com',
  'me@evil.com',
  '](http://evil.com)',
  '![',
  '<b>',
  '<!--',
  '&#64;',
  '@someone',
  '#12',
  '`',
  '``',
  '|',
  '\\',
  '"',
  '*',
  '_',
  '~',
  '{',
  '}',
]

const harmlessParts = ['word', 'é', '😀', '[redacted]']

/** Generates texts from parts that do harm in a terminal, a CI log or Markdown, from `moreParts`, and from any characters. */
export const generateHostileText = (...moreParts: ReadonlyArray<string>): fc.Arbitrary<string> => {
  const parts = [...ciParts, ...invisibleParts, ...markdownParts, ...harmlessParts, ...moreParts]
  return fc.string({
    unit: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...parts) },
      { weight: 1, arbitrary: fc.string({ unit: fc.anyCharacter, maxLength: 2 }) },
    ),
    maxLength: 12,
  })
}

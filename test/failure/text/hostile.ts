import * as fc from '../../support/fast-check'

/** Parts of texts that do harm in a terminal, a CI system's log or Markdown. */
const harmful = [
  ...['##[', '##vso[', '##teamcity[', '#', '[', ']', '::', ':', 'vso', 'set-output name=a;'],
  ...['\n', '\r', '\r\n', '\t', ' ', '\u0085', '\u2028', '\u2029', '\u001b[31m', '\u009b'],
  ...['\u202e', '\u2066', '\u200b', '\u200d', '\ufeff', '\u00ad', '\ufe0f', '\u{e0041}', '\u0000'],
  ...['](http://evil.com)', '![', '<b>', '<!--', '`', '``', '|', '\\', '&#64;', '@someone', '"'],
  ...['https://evil.com/a', 'www.evil.com', 'me@evil.com', '#12', '*', '_', '~', '{', '}'],
]

/** Generates texts from harmful parts, from `more`, and from any characters. */
export const hostile = (...more: ReadonlyArray<string>): fc.Arbitrary<string> =>
  fc.string({
    unit: fc.oneof(
      {
        weight: 4,
        arbitrary: fc.constantFrom(...harmful, 'word', 'é', '😀', '[redacted]', ...more),
      },
      { weight: 1, arbitrary: fc.string({ unit: fc.anyCharacter, maxLength: 2 }) },
    ),
    maxLength: 12,
  })

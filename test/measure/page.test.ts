import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { evaluate } from '../../lib/measure/evaluate'
import { drawFiles } from '../../lib/measure/page/outputs'
import { type Provenance, writePage } from '../../lib/measure/page/page'
import { choice, collected, noul, score } from './runs'

const test = suite('measure/page')

const hostile = '-</style><script>alert(1)</script>"&\u202e\u0000\ufffe'

const evaluation = evaluate(
  collected(
    Array.from({ length: 40 }, (_, i) => ({
      id: `${hostile}${i}`,
      group: hostile,
      answers: {
        [hostile]: noul(i / 40),
        'a b': choice({ [hostile]: 0.4 + i / 100, b: 0.6 - i / 100 }),
        'A/b': score(0.2, 0.3, 0.5),
      },
      labels: { [hostile]: i % 3 === 0, 'a b': i % 2 ? 'b' : hostile, 'A/b': i % 3 },
    })),
  ),
  { seed: 0, byGroup: true },
)

const provenance: Provenance = {
  run: hostile,
  labels: hostile,
  version: 'dev',
  textOf: () => hostile,
}

test('nothing of a run becomes markup, and nothing is loaded', () => {
  const html = writePage(evaluation, provenance)
  assert.not.match(html, /<script|\u202e|\u0000|\ufffe/)
  assert.match(html, /&lt;script&gt;/)
  assert.not.match(html.replaceAll('http://www.w3.org/2000/svg', ''), /https?:|src=|url\(|@import/)
  assert.match(html, /Content-Security-Policy" content="default-src 'none'/)
})

test('every tag that is opened is closed', () => {
  const open: string[] = []
  for (const [, end, name = '', , self] of writePage(evaluation, provenance).matchAll(
    /<(\/?)([a-z][a-z0-9]*)((?:"[^"]*"|[^">])*?)(\/?)>/g,
  )) {
    if (self !== '' || ['meta'].includes(name)) continue
    if (end === '') open.push(name)
    else assert.is(open.pop(), name)
  }
  assert.equal(open, [])
})

test('every drawn point stands in a table', () => {
  const html = writePage(evaluation, provenance)
  const figures = [...html.matchAll(/<figure>([\s\S]*?)<\/figure>/g)].map(
    ([, figure]) => figure ?? '',
  )
  assert.is(figures.length, 2 + 3 + 2)
  for (const figure of figures) {
    const dots = [...figure.matchAll(/<circle/g)].length
    const cells = [...figure.matchAll(/<rect/g)].length
    const rows = [...figure.matchAll(/<tr><th scope="row"/g)].length
    const columns = [...(figure.match(/<tr><th scope="col".*?<\/tr>/)?.[0] ?? '').matchAll(/<th /g)]
      .length
    assert.ok(rows > 0 && dots <= rows, `${dots} dots, ${rows} rows`)
    if (cells > 0) assert.is(cells, rows * (columns - 1))
  }
})

test('names of files are safe and differ in more than case', () => {
  const names = [...drawFiles(evaluation).keys()]
  for (const name of names) assert.match(name, /^[A-Za-z0-9_][A-Za-z0-9_-]*\.svg$/)
  assert.is(new Set(names.map((name) => name.toLowerCase())).size, 7)
  assert.ok(names.includes('a-b-reliability.svg') && names.includes('A-b-2-reliability.svg'))
  for (const svg of drawFiles(evaluation).values())
    assert.match(svg, /^<svg [^>]*><style>[^<\ufffe]*<\/style>[^\ufffe]*$/)
})

test.run()

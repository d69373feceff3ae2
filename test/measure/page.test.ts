import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import axe, { type AxeResults } from 'axe-core'
import { Window } from 'happy-dom'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { evaluateRun } from '../../lib/measure/evaluate/evaluation'
import { formatEvaluationPage, type Provenance } from '../../lib/measure/page/evaluation-page'
import { colours } from '../../lib/measure/page/style'
import { root } from '../support/folders'
import { collectRun, createChoice, createNoul, createScore } from './runs'

const test = suite('measure/page')

const hostile = '-</style><script>alert(1)</script>"&\u202e\u0000\ufffe'

const evaluation = evaluateRun(
  collectRun(
    Array.from({ length: 40 }, (_, i) => ({
      id: `${hostile}${i}`,
      group: hostile,
      answers: {
        [hostile]: createNoul(i / 40),
        'a b': createChoice({ [hostile]: 0.4 + i / 100, b: 0.6 - i / 100 }),
        'A/b': createScore(0.2, 0.3, 0.5),
      },
      labels: { [hostile]: i % 3 === 0, 'a b': i % 2 ? 'b' : hostile, 'A/b': i % 3 },
    })),
  ),
  { seed: 0, byGroup: true },
)

const shares = new Map([[hostile, { estimate: 0.3, low: 0.2, high: 0.4, slope: 1 }]])

const provenance: Provenance = {
  run: hostile,
  labels: hostile,
  version: 'dev',
  textOf: () => hostile,
  shares: {
    rows: 40,
    answered: 40,
    labelled: 40,
    questions: new Map([
      ['a b', { type: 'choice', rows: 40, unanswered: 0, labelled: 20, shares }],
    ]),
  },
}

test('texts of a run never become markup, and the page loads nothing', () => {
  const html = formatEvaluationPage(evaluation, provenance)
  assert.not.match(html, /<script|\u202e|\u0000|\ufffe/)
  assert.match(html, /&lt;script&gt;/)
  assert.not.match(html.replaceAll('http://www.w3.org/2000/svg', ''), /https?:|src=|url\(|@import/)
  assert.match(html, /Content-Security-Policy" content="default-src 'none'/)
})

test('every tag that is opened is closed', () => {
  const open: string[] = []
  for (const [, end, name = '', , self] of formatEvaluationPage(evaluation, provenance).matchAll(
    /<(\/?)([a-z][a-z0-9]*)((?:"[^"]*"|[^">])*?)(\/?)>/g,
  )) {
    if (self !== '' || ['meta'].includes(name)) continue
    if (end === '') open.push(name)
    else assert.is(open.pop(), name)
  }
  assert.equal(open, [])
})

const pages = {
  'the page of eval': formatEvaluationPage(evaluation, provenance),
  'the page of cascade': readFileSync(join(root, 'golden/cascade/html/files/cascade.html'), 'utf8'),
}

for (const [name, page] of Object.entries(pages))
  test(`axe-core finds no barrier on ${name}`, async () => {
    const window = new Window({
      settings: {
        enableJavaScriptEvaluation: true,
        suppressInsecureJavaScriptEnvironmentWarning: true,
      },
    })
    window.document.write(page)
    window.eval(axe.source)
    const { violations, incomplete, passes }: AxeResults = JSON.parse(
      await window.eval('axe.run(document).then(JSON.stringify)'),
    )
    await window.happyDOM.close()
    assert.equal(
      violations.map(({ id, nodes }) => [id, nodes[0]?.html]),
      [],
    )
    // Nothing is drawn here, so the next test computes contrasts.
    assert.equal(
      incomplete.map(({ id }) => id),
      ['color-contrast'],
    )
    assert.ok(passes.length > 15)
  })

/** The relative luminance of a colour such as `#fff` or `#1b1f24`. WCAG 2.2 */
const luminanceOf = (colour: string): number => {
  const [, digits = ''] = /^#([0-9a-f]+)$/.exec(colour) ?? []
  const width = digits.length / 3
  const [red = 0, green = 0, blue = 0] = [0, 1, 2].map((k) => {
    const part = digits.slice(k * width, (k + 1) * width)
    const share = Number.parseInt(width === 1 ? part + part : part, 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

test('texts and lines have enough contrast, light and dark', () => {
  const themes = [...colours.matchAll(/--ink.*?(?=\})/g)].map(
    ([list]) =>
      new Map([...list.matchAll(/--(\w+):(#\w+)/g)].map(([, name, colour]) => [name, colour])),
  )
  assert.is(themes.length, 2)
  for (const theme of themes)
    for (const name of ['ink', 'soft', 'mark', 'second']) {
      const [dark = 0, light = 0] = [theme.get(name), theme.get('paper')]
        .map((colour) => luminanceOf(colour ?? ''))
        .sort((a, b) => a - b)
      assert.ok((light + 0.05) / (dark + 0.05) >= 4.5, `${name} on ${theme.get('paper')}`)
    }
})

test('every drawn point is in a table', () => {
  const html = formatEvaluationPage(evaluation, provenance)
  const figures = [...html.matchAll(/<figure>([\s\S]*?)<\/figure>/g)].map(
    ([, figure]) => figure ?? '',
  )
  assert.is(figures.length, 2 + 2 + 1)
  for (const figure of figures) {
    const dots = [...figure.matchAll(/<circle/g)].length
    const rows = [...figure.matchAll(/<tr><th scope="row"/g)].length
    assert.ok(rows > 0 && dots <= rows, `${dots} dots, ${rows} rows`)
  }
})

test('a confusion is a table of labelled rows, shaded by its shares', () => {
  const html = formatEvaluationPage(evaluation, provenance)
  const tables = [...html.matchAll(/<h3>Confusion<\/h3>[\s\S]*?<\/table>/g)]
  assert.is(tables.length, 2)
  const cells = [...(tables[0]?.[0] ?? '').matchAll(/--share:([\d.]+)">(\d+)</g)]
  assert.is(cells.length, 4)
  assert.is(
    cells.reduce((all, [, , count]) => all + Number(count), 0),
    40,
  )
})

test('line breaks of a text are line breaks of the page', () => {
  const html = formatEvaluationPage(evaluation, { ...provenance, textOf: () => 'one\n<two>' })
  assert.match(html, 'one<br>&lt;two&gt;')
})

test('the page ends with the next step', () => {
  const html = formatEvaluationPage(evaluation, provenance)
  assert.ok(html.indexOf('What to do next') > html.lastIndexOf('The most confident errors'))
})

test.run()

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import axe, { type AxeResults } from 'axe-core'
import { Window } from 'happy-dom'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { evaluateRun } from '../../lib/measure/evaluate/evaluation'
import { type EvaluationOrigin, formatEvaluationPage } from '../../lib/measure/page/evaluation-page'
import { colours } from '../../lib/measure/page/style'
import { root } from '../support/folders'
import { collectRun, createChoice, createNoul, createScore } from './runs'

const test = suite('measure/page')

/** A text with markup, a quote, a right-to-left override, a null character and a character that XML does not allow. */
const hostile = '-</style><script>alert(1)</script>"&\u202e\u0000\ufffe'

/**
 * The figures of a run with a yes/no question (a `noul`), a choice and a score. The id of the first question, a label, the ids of rows
 * and the group are hostile.
 */
const evaluation = evaluateRun(
  collectRun(
    Array.from({ length: 40 }, (_, i) => ({
      id: `${hostile}${i}`,
      group: hostile,
      answers: {
        [hostile]: createNoul(i / 40),
        team: createChoice({ [hostile]: 0.4 + i / 100, b: 0.6 - i / 100 }),
        urgency: createScore(0.2, 0.3, 0.5),
      },
      labels: { [hostile]: i % 3 === 0, team: i % 2 ? 'b' : hostile, urgency: i % 3 },
    })),
  ),
  { seed: 0, byGroup: true },
)

/** The estimated fraction of the rows that have a label, by label. */
const shares = new Map([[hostile, { estimate: 0.3, low: 0.2, high: 0.4, slope: 1 }]])

const answerCounts = { rowCount: 40, answeredCount: 40, refusedCount: 0, failedCount: 0 }

const origin: EvaluationOrigin = {
  run: hostile,
  labels: hostile,
  version: 'dev',
  textOf: () => hostile,
  shares: {
    rowCount: 40,
    answeredCount: 40,
    labelledCount: 40,
    questions: new Map([
      ['team', { type: 'choice', rowCount: 40, answerCounts, labelledCount: 20, shares }],
    ]),
  },
}

const html = formatEvaluationPage(evaluation, origin)

test('escapes the texts of a run', () => {
  assert.not.match(html, /<script|\u202e|\u0000|\ufffe/)
  assert.match(html, /&lt;script&gt;/)
})

test('loads nothing from the network', () => {
  // The namespace of SVG is a name, which browsers do not load.
  const withoutNamespace = html.replaceAll('http://www.w3.org/2000/svg', '')
  assert.not.match(withoutNamespace, /https?:|src=|url\(|@import/)
  assert.match(html, /Content-Security-Policy" content="default-src 'none'/)
})

test('closes every tag', () => {
  // Matches the tags <p class="soft">, </p> and <path/>. A `>` in a quoted attribute does not end a tag.
  const tags = /<(\/?)([a-z][a-z0-9]*)((?:"[^"]*"|[^">])*?)(\/?)>/g
  const openTags: string[] = []
  for (const [, closingSlash, name = '', , selfClosingSlash] of html.matchAll(tags)) {
    if (selfClosingSlash !== '' || name === 'meta') continue
    if (closingSlash === '') openTags.push(name)
    else assert.is(openTags.pop(), name)
  }
  assert.equal(openTags, [])
})

const pages = {
  'svc eval': html,
  'svc cascade': readFileSync(join(root, 'golden/cascade/html/files/cascade.html'), 'utf8'),
}

for (const [command, page] of Object.entries(pages))
  test(`axe-core finds no accessibility problem on the page of ${command}`, async () => {
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
    // happy-dom draws nothing, so axe-core cannot check contrasts. The next test computes them.
    assert.equal(
      incomplete.map(({ id }) => id),
      ['color-contrast'],
    )
    assert.ok(passes.length > 15, 'axe-core has checked the page')
  })

/** Computes the relative luminance of a colour such as `#fff` or `#1b1f24` (WCAG 2.2). */
const computeLuminance = (colour: string): number => {
  const digits = colour.slice(1)
  const width = digits.length / 3
  const [red = 0, green = 0, blue = 0] = [0, 1, 2].map((channel) => {
    const hex = digits.slice(channel * width, (channel + 1) * width)
    const share = Number.parseInt(width === 1 ? hex + hex : hex, 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Computes the contrast ratio of two colours (WCAG 2.2), 1 to 21. */
const computeContrast = (a: string, b: string): number => {
  const luminances = [computeLuminance(a), computeLuminance(b)]
  return (Math.max(...luminances) + 0.05) / (Math.min(...luminances) + 0.05)
}

/** The minimum contrast ratio of normal text (WCAG 2.2, level AA). */
const minContrast = 4.5

/** Reads the colours of the light and the dark theme, by the names of their CSS variables, such as `ink`. */
const readThemes = (): ReadonlyArray<ReadonlyMap<string, string>> =>
  // The colours of a theme begin with `ink`, and end at a brace.
  [...colours.matchAll(/--ink.*?(?=\})/g)].map(([declarations]) => {
    const theme = new Map<string, string>()
    for (const [, name = '', colour = ''] of declarations.matchAll(/--(\w+):(#\w+)/g))
      theme.set(name, colour)
    return theme
  })

test('texts and lines have enough contrast in both themes', () => {
  const themes = readThemes()
  assert.is(themes.length, 2)
  for (const theme of themes) {
    const paper = theme.get('paper') ?? ''
    for (const name of ['ink', 'soft', 'mark', 'second'])
      assert.ok(computeContrast(theme.get(name) ?? '', paper) >= minContrast, `${name} on ${paper}`)
  }
})

test('every diagram has a table with at least as many rows as it has dots', () => {
  const figures = [...html.matchAll(/<figure>[\s\S]*?<\/figure>/g)].map(([figure]) => figure)
  /** The number of diagrams of each question. */
  const diagrams = { noul: 2, choice: 2, score: 1 }
  assert.is(figures.length, diagrams.noul + diagrams.choice + diagrams.score)
  for (const figure of figures) {
    const dots = [...figure.matchAll(/<circle/g)].length
    const rows = [...figure.matchAll(/<tr><th scope="row"/g)].length
    assert.ok(rows > 0 && dots <= rows, `${dots} dots, ${rows} rows`)
  }
})

test('a confusion matrix counts every labelled row', () => {
  const matrices = [...html.matchAll(/<h3>Confusion<\/h3>[\s\S]*?<\/table>/g)]
  assert.is(matrices.length, 2, 'one for the choice, one for the score')
  const [choiceMatrix = ''] = matrices[0] ?? []
  // A cell is written as `<td class="cell" style="--share:0.5">10</td>`.
  const cells = [...choiceMatrix.matchAll(/--share:[\d.]+">(\d+)</g)]
  const counts = cells.map(([, count]) => Number(count))
  assert.is(counts.length, 4, 'two labels and two answers')
  const total = counts.reduce((sum, count) => sum + count)
  assert.is(total, 40)
})

test('opens with a chart of all questions: accuracy, interval, baseline, and the rows that pass', () => {
  const [chart = ''] = /<table class="chart">[\s\S]*?<\/table>/.exec(html) ?? []
  assert.ok(html.indexOf(chart) < html.indexOf('<section>'))
  const rows = [...chart.matchAll(/<tr><th scope="row">.*?<\/tr>/g)].map(([row]) => row)
  assert.is(rows.length, evaluation.questions.size)
  const team = evaluation.questions.get('team')
  const accuracy = Number(team?.figures.accuracy)
  assert.match(rows[1] ?? '', `class="point" style="left:${accuracy * 100}%"`)
  assert.match(rows[1] ?? '', `class="base" style="left:${Number(team?.baseline.accuracy) * 100}%"`)
  assert.match(rows[1] ?? '', /class="passes">none</)
})

test('the axes of curves have ticks in per cent and fit the data', () => {
  const titles = [...html.matchAll(/<h3>(Risk and coverage)<\/h3>\s*(<svg[\s\S]*?<\/svg>)/g)]
  assert.is(titles.length, 1)
  const [, , risk = ''] = titles[0] ?? []
  const leftLabels = [...risk.matchAll(/text-anchor="end">([\d.]+) %</g)].map(([, label]) => label)
  assert.is(leftLabels[0], '0')
  assert.match(risk, /80 % right/)
})

test('marks the threshold of a yes, and labels curves at their ends', () => {
  const [threshold = ''] = /<h3>Threshold<\/h3>[\s\S]*?<\/figure>/.exec(html) ?? []
  assert.match(threshold, 'yes from 50 %')
  for (const name of ['precision', 'recall', 'F1'])
    assert.match(threshold, new RegExp(`-label"[^>]*>${name}<`))
})

/** Formats the page of a run with this many labels, of which each is confused with the next one as often as `errorsOf` says. */
const formatPageOfLabels = (labelCount: number, errorsOf: (label: number) => number): string => {
  const names = Array.from({ length: labelCount }, (_, i) => `label-${i}`)
  const rows = names.flatMap((name, i) => {
    const next = names[(i + 1) % labelCount] as string
    const createRow = (truth: string) => ({
      answers: {
        team: createChoice(
          Object.fromEntries(names.map((n) => [n, n === name ? 0.9 : 0.1 / (labelCount - 1)])),
        ),
      },
      labels: { team: truth },
    })
    return [createRow(name), ...Array.from({ length: errorsOf(i) }, () => createRow(next))]
  })
  const run = evaluateRun(collectRun(rows), { seed: 0, byGroup: false })
  return formatEvaluationPage(run, { ...origin, shares: undefined })
}

test('a matrix of 30 labels has rotated heads, dots for 0, and errors in another colour', () => {
  const page = formatPageOfLabels(30, (label) => (label < 2 ? 1 : 0))
  assert.match(page, '<table class="matrix narrow">')
  const [matrix = ''] = /<table class="matrix[\s\S]*?<\/table>/.exec(page) ?? []
  assert.is([...matrix.matchAll(/>·</g)].length, 30 * 30 - 32)
  assert.is([...matrix.matchAll(/class="cell wrong"/g)].length, 2)
})

test('a list of confusions leaves out those that happened once', () => {
  const page = formatPageOfLabels(40, (label) => (label === 0 ? 2 : 1))
  const [list = ''] = /<h3>The most common confusions[\s\S]*?<\/table>/.exec(page) ?? []
  assert.is([...list.matchAll(/<th scope="row"/g)].length, 1)
  assert.match(
    formatPageOfLabels(40, () => 1),
    'no two of them are confused more than once',
  )
})

test('keeps the line breaks of texts', () => {
  const page = formatEvaluationPage(evaluation, { ...origin, textOf: () => 'one\n<two>' })
  assert.match(page, 'one<br>&lt;two&gt;')
})

test('ends with the section about what to do next', () => {
  assert.ok(html.indexOf('What to do next') > html.lastIndexOf('The most confident errors'))
})

test.run()

/**
 * Looks at the pages of `svc eval --html` and `svc cascade --html` in a real Chromium: `node .ci/browser/pages.mjs [<folder for pictures>]`.
 * Writes test/measure/eval-page.png, which README.md and `svc help measuring` show. The last line is `N passed, N failed`.
 */
import { mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import chromium from '@sparticuz/chromium'
import puppeteer from 'puppeteer-core'

const root = resolve(import.meta.dirname, '../..')
/** The pages to look at, by the names of their pictures. */
const pages = {
  eval: 'golden/eval/html-shares/files/report.html',
  texts: 'golden/eval/rows/files/report.html',
  cascade: 'golden/cascade/html/files/cascade.html',
}
const [pictureFolder] = process.argv.slice(2)
if (pictureFolder !== undefined) mkdirSync(pictureFolder, { recursive: true })

const browser = await puppeteer.launch({
  args: ['--no-sandbox', '--disable-gpu', '--hide-scrollbars'],
  executablePath: await chromium.executablePath(),
  headless: 'shell',
  timeout: 120_000,
})
const page = await browser.newPage()
const counts = { passed: 0, failed: 0 }

/** Lists the cells of text that are narrower than 12 characters. Also reports a page that is wider than the window. Runs in the page. */
const findLayoutFaults = () => {
  const probe = document.body.appendChild(document.createElement('span'))
  probe.textContent = '0'.repeat(12)
  const faults = []
  for (const cell of document.querySelectorAll('td.text, th.text')) {
    const { font } = getComputedStyle(cell)
    probe.style.font = font
    const { width } = cell.getBoundingClientRect()
    const minWidth = probe.getBoundingClientRect().width
    if (width > 0 && width < minWidth)
      faults.push(`${cell.textContent.slice(0, 40)}: ${width} px of ${minWidth}`)
  }
  probe.remove()
  if (document.documentElement.scrollWidth > innerWidth) faults.push('wider than the window')
  return faults
}

/** Checks the page for accessibility. Unlike the tests without a browser, it sees colours. Runs in the page. */
const runAxe = () => globalThis.axe.run(document, { resultTypes: ['violations'] })

const axeSource = readFileSync(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8')

for (const [name, path] of Object.entries(pages)) {
  await page.goto(pathToFileURL(join(root, path)).href)
  await page.evaluate(axeSource)
  for (const scheme of ['light', 'dark'])
    for (const width of [1200, 500, 360]) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
      await page.setViewport({ width, height: 900 })
      const faults = await page.evaluate(findLayoutFaults)
      const { violations } = await page.evaluate(runAxe)
      for (const { id, nodes } of violations) faults.push(`axe: ${id}: ${nodes[0].html}`)
      const hasPassed = faults.length === 0
      if (hasPassed) counts.passed++
      else counts.failed++
      const shownFaults = faults.slice(0, 5).join('; ')
      console.log(`${hasPassed ? 'ok' : 'FAIL'} ${name}, ${scheme}, ${width} px ${shownFaults}`)
      if (pictureFolder !== undefined)
        await page.screenshot({
          path: join(pictureFolder, `${name}-${scheme}-${width}.png`),
          fullPage: true,
        })
    }
}

await page.goto(pathToFileURL(join(root, pages.eval)).href)
await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }])
await page.setViewport({ width: 1100, height: 900 })
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
// Golden files have a placeholder instead of the version.
await page.evaluate((text) => {
  for (const entry of document.querySelectorAll('dd'))
    entry.textContent = entry.textContent.replace('{version}', text)
}, version)
await page.screenshot({ path: join(root, 'test/measure/eval-page.png') })

await browser.close()
console.log(`${counts.passed} passed, ${counts.failed} failed`)
process.exitCode = counts.failed === 0 ? 0 : 1

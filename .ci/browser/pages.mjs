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
const pages = {
  eval: 'golden/eval/html-shares/files/report.html',
  texts: 'golden/eval/rows/files/report.html',
  cascade: 'golden/cascade/html/files/cascade.html',
}
const [folder] = process.argv.slice(2)
if (folder !== undefined) mkdirSync(folder, { recursive: true })

const browser = await puppeteer.launch({
  args: ['--no-sandbox', '--disable-gpu', '--hide-scrollbars'],
  executablePath: await chromium.executablePath(),
  headless: 'shell',
})
const page = await browser.newPage()
const counts = { passed: 0, failed: 0 }

/** Lists columns of text that are narrower than 12 characters, and what is wider than the window. */
const findNarrow = () => {
  const probe = document.body.appendChild(document.createElement('span'))
  probe.textContent = '0'.repeat(12)
  const faults = []
  for (const cell of document.querySelectorAll('td.text, th.text')) {
    const { font } = getComputedStyle(cell)
    probe.style.font = font
    const { width } = cell.getBoundingClientRect()
    const min = probe.getBoundingClientRect().width
    if (width > 0 && width < min)
      faults.push(`${cell.textContent.slice(0, 40)}: ${width} px of ${min}`)
  }
  probe.remove()
  if (document.documentElement.scrollWidth > innerWidth) faults.push('wider than the window')
  return faults
}

for (const [name, path] of Object.entries(pages)) {
  await page.goto(pathToFileURL(join(root, path)).href)
  for (const scheme of ['light', 'dark'])
    for (const width of [1200, 500, 360]) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
      await page.setViewport({ width, height: 900 })
      const faults = await page.evaluate(findNarrow)
      counts[faults.length === 0 ? 'passed' : 'failed']++
      console.log(
        `${faults.length === 0 ? 'ok' : 'FAIL'} ${name}, ${scheme}, ${width} px ${faults.slice(0, 5).join('; ')}`,
      )
      if (folder !== undefined)
        await page.screenshot({
          path: join(folder, `${name}-${scheme}-${width}.png`),
          fullPage: true,
        })
    }
}

await page.goto(pathToFileURL(join(root, pages.eval)).href)
await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }])
await page.setViewport({ width: 1100, height: 860 })
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
await page.evaluate((text) => {
  for (const entry of document.querySelectorAll('dd'))
    entry.textContent = entry.textContent.replace('{version}', text)
}, version)
await page.screenshot({ path: join(root, 'test/measure/eval-page.png') })

await browser.close()
console.log(`${counts.passed} passed, ${counts.failed} failed`)
process.exitCode = counts.failed === 0 ? 0 : 1

/**
 * Drives `svc label` with a real Chromium: `node .ci/browser/label.mjs <path of the installed svc> [<picture to write>]`.
 * The last line is `N passed, N failed`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import chromium from '@sparticuz/chromium'
import puppeteer from 'puppeteer-core'
import * as assert from 'uvu/assert'

const [program, picturePath] = process.argv.slice(2)
/** The maximum time to wait for the browser or a page. It is generous, because the machine may be slow. */
const maxWaitMs = 120_000
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'svc-label-'))
const tablePath = join(folder, 'to-label.csv')
const questionsPath = join(folder, 'questions.json')

/** A yes/no question, which has the type `noul`. */
const questions = {
  billing: {
    type: 'noul',
    instructions: 'Is this about a billing problem?',
    criteria: { true: 'A charge, a refund or an invoice', false: 'Anything else' },
  },
}
/** Writes a table without labels. It has a byte order mark, quotes, line breaks and markup. */
const writeTable = (rowCount) => {
  const formatText = (i) =>
    `Ticket ${i}: I was charged twice this month, für März.\nPlease refund one of the ""payments"". <img src=x onerror=alert(1)>`
  const lines = Array.from(
    { length: rowCount },
    (_, i) => `${i},t-${i},0.3,"${formatText(i)}",\r\n`,
  )
  writeFileSync(tablePath, `\ufeffindex,id,p,text,billing.label\r\n${lines.join('')}`)
}
const readTable = () => readFileSync(tablePath, 'utf8')
/** Counts the labels in the table. Each follows the quoted text of its row. */
const countLabels = () => readTable().match(/",(yes|no)/g)?.length ?? 0

/** The programs that the running test has started. */
const children = new Set()
/** Starts `svc label`, and waits until it has printed its address. `result` resolves with its exit code, signal and stdout. */
const startLabel = async (...args) => {
  const command = ['label', '-i', tablePath, '-f', questionsPath, ...args]
  const child = spawn(process.execPath, [program, ...command], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.add(child)
  let stdout = ''
  child.stdout.on('data', (data) => {
    stdout += data
  })
  const result = once(child, 'close').then(([code, signal]) => ({ code, signal, stdout }))
  let stderr = ''
  const address = await new Promise((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text
      // The newline makes sure that the address is complete.
      const match = /http\S+(?=\n)/.exec(stderr)
      if (match !== null) resolve(match[0])
    })
    child.on('close', () => reject(new Error(`svc label has ended: ${stderr}`)))
  })
  return { address, child, result }
}

const browser = await puppeteer.launch({
  // The arguments that the package suggests would switch off the same-origin policy.
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--hide-scrollbars'],
  executablePath: await chromium.executablePath(),
  headless: 'shell',
  timeout: maxWaitMs,
})
/** Opens a page. Its `problems` are the messages of its script errors and dialogs. */
const openPage = async (address) => {
  const page = await browser.newPage()
  page.setDefaultTimeout(maxWaitMs)
  page.problems = []
  page.on('pageerror', (error) => page.problems.push(error.message))
  // The text of each ticket tries to open a dialog.
  page.on('dialog', (dialog) => page.problems.push(dialog.message()))
  await page.setViewport({ width: 1200, height: 800 })
  await page.goto(address)
  return page
}
const waitForStep = (page, step) =>
  page.waitForFunction(
    (wanted) => document.querySelector('header [role=status]')?.textContent.startsWith(wanted),
    {},
    `${step} of `,
  )
const waitForText = (page, text) =>
  page.waitForFunction((wanted) => document.body.innerText.includes(wanted), {}, text)
const clickButton = (page, name) =>
  page.evaluate((wanted) => {
    const buttons = [...document.querySelectorAll('button')]
    buttons.find((button) => button.textContent.includes(wanted)).click()
  }, name)
const findAccessibilityProblems = async (page) => {
  await page.evaluate(axe)
  const { violations } = await page.evaluate(() => globalThis.axe.run())
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`)
}

const testCounts = { passed: 0, failed: 0 }
const test = async (title, work) => {
  try {
    await work()
    testCounts.passed++
    console.log(`ok ${title}`)
  } catch (error) {
    testCounts.failed++
    console.log(`FAIL ${title}\n${error.stack}`)
  }
  for (const child of children) child.kill('SIGKILL')
  children.clear()
  for (const page of await browser.pages()) if (page.url() !== 'about:blank') await page.close()
}

writeFileSync(questionsPath, JSON.stringify({ questions }))

await test('labels thirty rows by mouse and keyboard, with undo, skip, a second showing and done', async () => {
  writeTable(30)
  const { address, result } = await startLabel('--again', '2')
  const page = await openPage(address)
  await waitForStep(page, 1)
  await clickButton(page, 'Yes')
  await waitForStep(page, 2)
  await page.keyboard.press('2')
  await waitForStep(page, 3)
  assert.is(countLabels(), 2)
  await page.keyboard.press('u')
  await waitForStep(page, 2)
  assert.is(countLabels(), 1)
  await page.keyboard.press('2')
  for (let step = 3; step < 30; step++) {
    await waitForStep(page, step)
    await page.keyboard.press(step % 2 ? '1' : '2')
  }
  await waitForStep(page, 30)
  await page.keyboard.press('n')
  await page.keyboard.type('in 2 languages')
  await page.keyboard.press('Enter')
  await page.keyboard.press('s')
  await waitForStep(page, 31)
  assert.ok(await page.evaluate(() => document.body.innerText.includes('shown a second time')))
  await page.keyboard.press('1')
  await waitForStep(page, 32)
  await page.keyboard.press('1')
  await waitForText(page, 'All done')
  await clickButton(page, 'Done')
  await waitForText(page, 'You can close this tab')
  const { code, stdout } = await result
  assert.is(code, 0)
  const { labelled, left, skipped, again } = JSON.parse(stdout)
  assert.equal({ labelled, left, skipped }, { labelled: 29, left: 1, skipped: 1 })
  assert.is(again.n, 2)
  assert.match(readTable(), /in 2 languages/)
  assert.equal(page.problems, [])
})

await test('continues at the first empty cell after a reload and after a restart', async () => {
  writeTable(30)
  const first = await startLabel()
  const page = await openPage(first.address)
  await waitForStep(page, 1)
  await page.keyboard.press('1')
  await waitForStep(page, 2)
  await page.reload()
  await waitForStep(page, 2)
  first.child.kill('SIGTERM')
  assert.is((await first.result).code, 0)
  const second = await startLabel()
  const secondPage = await openPage(second.address)
  await waitForText(secondPage, '1 of 29')
  second.child.kill('SIGINT')
  assert.is((await second.result).code, 130)
})

await test('loses no written answer to kill -9, and the page says that the next one is not saved', async () => {
  writeTable(30)
  const { address, child } = await startLabel()
  const page = await openPage(address)
  await waitForStep(page, 1)
  await page.keyboard.press('1')
  await waitForStep(page, 2)
  child.kill('SIGKILL')
  await once(child, 'close')
  assert.is(countLabels(), 1)
  await page.keyboard.press('1')
  await waitForText(page, 'Not saved yet')
})

await test('a second tab takes over, and the first one says so', async () => {
  writeTable(30)
  const { address } = await startLabel()
  const first = await openPage(address)
  await waitForStep(first, 1)
  const second = await openPage(address)
  await waitForText(second, 'Another tab had this table open')
  await first.bringToFront()
  await first.keyboard.press('1')
  await waitForText(first, 'opened in another tab')
  assert.is(countLabels(), 0)
  await clickButton(first, 'Go on in this tab')
  await waitForStep(first, 1)
  await first.keyboard.press('1')
  await waitForStep(first, 2)
  assert.is(countLabels(), 1)
})

await test('does not overwrite a table that another program changed, and says so', async () => {
  writeTable(30)
  const { address } = await startLabel()
  const page = await openPage(address)
  await waitForStep(page, 1)
  const changed = `${readTable()}99,t-99,0.3,"new",\r\n`
  writeFileSync(tablePath, changed)
  await page.keyboard.press('1')
  await waitForText(page, 'changed by another program')
  assert.is(readTable(), changed)
})

await test('a page of another origin cannot write', async () => {
  writeTable(30)
  const { address } = await startLabel()
  const page = await openPage(address)
  await waitForStep(page, 1)
  const otherSite = createServer((_, response) => {
    response.setHeader('content-type', 'text/html')
    response.end('<p>other site</p>')
  })
  await once(otherSite.listen(0, '127.0.0.1'), 'listening')
  const otherPage = await openPage(`http://127.0.0.1:${otherSite.address().port}/`)
  const { origin } = new URL(address)
  const status = await otherPage
    .evaluate(async (target) => {
      const body = '{"tab":1,"stepIndex":0,"answer":{"kind":"label","value":"yes"},"note":""}'
      const response = await fetch(`${target}/api/answer`, {
        method: 'POST',
        body,
        credentials: 'include',
      })
      return response.status
    }, origin)
    .catch((error) => error.message)
  otherSite.close()
  assert.match(String(status), /Failed to fetch/)
  assert.is(countLabels(), 0)
})

await test('axe finds no problem and nothing is wider than the window, light and dark, on a phone and on a 4K screen', async () => {
  writeTable(30)
  const { address } = await startLabel()
  const page = await openPage(address)
  await waitForStep(page, 1)
  for (const scheme of ['light', 'dark'])
    for (const [width, height] of [
      [360, 640],
      [1200, 800],
      [3840, 2160],
    ]) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
      await page.setViewport({ width, height })
      assert.equal(await findAccessibilityProblems(page), [], `${scheme} at ${width}`)
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth))
    }
})

await test('the buttons stay in place from row to row', async () => {
  const texts = [
    'Hello,\n\nI was charged twice for the photo album this month. Please refund one of the payments.',
    'The export of the team licence stops half way. Can you have a look?',
  ]
  const rows = texts.map((text, i) => `${i},0.3,"${text}",`)
  writeFileSync(tablePath, `index,p,text,billing.label\n${rows.join('\n')}\n`)
  const { address } = await startLabel()
  const page = await openPage(address)
  await page.setViewport({ width: 1000, height: 560 })
  const locateYes = () =>
    page.evaluate(() =>
      JSON.stringify(document.querySelector('.options button').getBoundingClientRect()),
    )
  await waitForStep(page, 1)
  const before = await locateYes()
  if (picturePath !== undefined) await page.screenshot({ path: picturePath })
  await page.keyboard.press('1')
  await waitForStep(page, 2)
  assert.is(await locateYes(), before)
})

await browser.close()
rmSync(folder, { recursive: true, force: true })
console.log(`${testCounts.passed} passed, ${testCounts.failed} failed`)
process.exitCode = testCounts.failed === 0 ? 0 : 1

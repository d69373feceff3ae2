/**
 * Drives `svc label` with a real Chromium: `node .ci/browser/label.mjs <path of the installed svc> [<picture to write>]`.
 * The last line is `N passed, N failed`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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

/** Writes another table, with the questions that it asks. `rows` are the lines below the header. */
const writeCustomTable = (columns, rows, tableQuestions) => {
  const labels = Object.keys(tableQuestions).map((id) => `${id}.label`)
  const empty = ','.repeat(labels.length)
  writeFileSync(questionsPath, JSON.stringify({ questions: tableQuestions }))
  writeFileSync(
    tablePath,
    `index,id,${columns},${labels.join(',')}\n${rows.map((row, i) => `${i},t-${i},${row}${empty}\n`).join('')}`,
  )
}
/** A question with this many choices, one with levels, and a yes/no question. */
const createChoice = (count) => ({
  type: 'choice',
  instructions: 'What is it about?',
  criteria: Object.fromEntries(Array.from({ length: count }, (_, i) => [`choice ${i}`, null])),
})
const urgency = {
  type: 'score',
  instructions: 'How urgent is it?',
  criteria: ['can wait', 'this week', 'today', 'at once, because people may be harmed'],
}
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
    (wanted) => document.querySelector('#place')?.textContent.startsWith(wanted),
    {},
    `Row ${step} of `,
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
  // The next test expects the yes/no question.
  writeFileSync(questionsPath, JSON.stringify({ questions }))
  for (const child of children) child.kill('SIGKILL')
  children.clear()
  for (const page of await browser.pages()) if (page.url() !== 'about:blank') await page.close()
}

/** Returns the place of an element in the window, as a text to compare. */
const locate = (page, selector) =>
  page.evaluate(
    (wanted) => JSON.stringify(document.querySelector(wanted).getBoundingClientRect()),
    selector,
  )
/** Waits until the page has shown two frames, so that any movement has happened. */
const waitForFrames = (page) =>
  page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
  )

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
  await waitForText(secondPage, 'Row 1 of 29')
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
  await waitForText(page, 'Not saved yet: one answer waits on this page')
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

await test('a held key labels one row, and a line of fixed height says what was saved', async () => {
  writeTable(30)
  const { address } = await startLabel()
  const page = await openPage(address)
  await waitForStep(page, 1)
  const before = await locate(page, '.options button')
  // Every `down` after the first one is a repetition, as from a key that is held.
  await page.keyboard.down('1')
  await waitForText(page, 'Saved: Yes. u takes it back.')
  await waitForStep(page, 2)
  for (let i = 0; i < 26; i++) await page.keyboard.down('1')
  await page.keyboard.up('1')
  assert.is(await locate(page, '.options button'), before)
  for (const [key, notice, step] of [
    ['s', 'Skipped. u takes it back.', 3],
    ['u', 'Taken back: skipped.', 2],
  ]) {
    await page.keyboard.down(key)
    await waitForText(page, notice)
    for (let i = 0; i < 5; i++) await page.keyboard.down(key)
    await page.keyboard.up(key)
    await waitForStep(page, step)
  }
  assert.is(countLabels(), 1)
})

await test('the text keeps its place and its focus for all questions of a row, and the panel its height', async () => {
  const text = Array.from({ length: 400 }, (_, i) => `Sentence ${i} of a long text.`).join(' ')
  writeCustomTable('text', [text, text], {
    ...questions,
    topic: createChoice(12),
    urgency,
  })
  const { address } = await startLabel()
  const page = await openPage(address)
  await waitForText(page, 'Row 1 of 2, question 1 of 3')
  await page.evaluate(() => document.querySelector('main').scrollTo(0, 900))
  const panel = await locate(page, '.panel')
  for (const [key, place] of [
    ['1', 'Row 1 of 2, question 2 of 3'],
    ['b', 'Row 1 of 2, question 3 of 3'],
  ]) {
    await page.keyboard.press(key)
    await waitForText(page, place)
    await waitForFrames(page)
    const state = await page.evaluate(() => ({
      scrollTop: document.querySelector('main').scrollTop,
      focus: document.activeElement.tagName,
    }))
    assert.equal(state, { scrollTop: 900, focus: 'MAIN' })
    assert.is(await locate(page, '.panel'), panel)
  }
  // A click moves the focus to a button, which is gone for the next row.
  await clickButton(page, 'today')
  await waitForText(page, 'Row 2 of 2, question 1 of 3')
  const state = await page.evaluate(() => ({
    scrollTop: document.querySelector('main').scrollTop,
    focus: document.activeElement.tagName,
  }))
  assert.equal(state, { scrollTop: 0, focus: 'MAIN' })
  assert.is(await locate(page, '.panel'), panel)
  assert.match(readTable(), /yes,choice 11,2\n/)
})

await test('choices beyond ten have letters, and levels have their index in one row of equal cells', async () => {
  writeCustomTable('text', ['a'], { topic: createChoice(12), urgency })
  const { address } = await startLabel()
  const page = await openPage(address)
  await waitForStep(page, 1)
  const listKeys = () =>
    page.evaluate(() =>
      [...document.querySelectorAll('.options:not(.hidden) kbd')].map((key) => key.textContent),
    )
  assert.is((await listKeys()).join(''), '1234567890ab')
  await page.keyboard.press('a')
  await waitForText(page, 'question 2 of 2')
  assert.is((await listKeys()).join(''), '0123')
  const cells = await page.evaluate(() =>
    [...document.querySelectorAll('.score button')].map((button) => {
      const { width, height, top } = button.getBoundingClientRect()
      return JSON.stringify([Math.round(width), Math.round(height), Math.round(top)])
    }),
  )
  assert.is(new Set(cells).size, 1)
  await page.keyboard.press('0')
  await waitForText(page, 'All done')
  assert.match(readTable(), /choice 10,0\n/)
})

await test('shows the image of a row, enlarges it, and says why another one cannot be shown', async () => {
  const picturePage = await openPage('data:text/html,<body style="background:teal">')
  mkdirSync(join(folder, 'photos'), { recursive: true })
  await picturePage.screenshot({ path: join(folder, 'photos/a.png') })
  writeCustomTable('photo', ['photos/a.png', '../outside.png'], {
    intact: { type: 'noul', instructions: 'Is the box in photo intact?' },
  })
  const { address } = await startLabel('--image-field', 'photo')
  const page = await openPage(address)
  await waitForStep(page, 1)
  const seen = { image: false, reason: false }
  for (const row of [1, 2]) {
    await waitForStep(page, row)
    await page.waitForFunction(
      () =>
        document.querySelector('main img')?.naturalWidth > 0 ||
        document.querySelector('main .problem'),
    )
    if (await page.$('main img')) {
      seen.image = true
      const height = await page.$eval('main img', (image) => image.getBoundingClientRect().height)
      assert.ok(height <= 0.6 * 800, `${height}`)
      assert.equal(await findAccessibilityProblems(page), [])
      await page.click('.photo')
      await page.waitForSelector('dialog[open]')
      assert.equal(await findAccessibilityProblems(page), [])
      // Beside the enlarged image, keys do not answer.
      await page.keyboard.press('1')
      await page.keyboard.press('Escape')
      await page.waitForFunction(() => document.querySelector('dialog[open]') === null)
      await waitForStep(page, row)
    } else {
      seen.reason = true
      await waitForText(page, 'it is outside the folder of the rows; --follow-links allows it')
    }
    await page.keyboard.press('1')
  }
  await waitForText(page, 'All done')
  assert.equal(seen, { image: true, reason: true })
  assert.equal(page.problems, [])
})

await test('at 200 % zoom, on a small screen and with a large font, the page scrolls as a whole below the question', async () => {
  const text = Array.from({ length: 100 }, (_, i) => `Sentence ${i} of a long text.`).join(' ')
  writeCustomTable('text', [text], { topic: createChoice(12) })
  const { address } = await startLabel()
  const page = await openPage(address)
  await waitForStep(page, 1)
  for (const scheme of ['light', 'dark'])
    for (const viewport of [
      // A window of 1280 x 720 pixels at a zoom of 200 %.
      { width: 640, height: 360, deviceScaleFactor: 2 },
      { width: 360, height: 740 },
      { width: 320, height: 256 },
    ]) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
      await page.setViewport(viewport)
      await page.evaluate(() => scrollTo(0, 0))
      await page.evaluate(() => scrollTo(0, 700))
      await waitForFrames(page)
      const state = await page.evaluate(() => ({
        scrolled: scrollY,
        questionTop: document.querySelector('.question').getBoundingClientRect().top,
        textScrolls: getComputedStyle(document.querySelector('main')).overflowY,
        isTooWide: document.documentElement.scrollWidth > innerWidth,
      }))
      assert.equal(
        state,
        { scrolled: 700, questionTop: 0, textScrolls: 'visible', isTooWide: false },
        JSON.stringify(viewport),
      )
      assert.equal(await findAccessibilityProblems(page), [])
    }
  // Sizes follow the font size of the browser.
  await page.setViewport({ width: 640, height: 720 })
  const sizes = await page.evaluate(() => {
    const measure = () =>
      ['main p', 'h1', 'button', 'small, kbd'].map((selector) =>
        Number.parseFloat(getComputedStyle(document.querySelector(selector)).fontSize),
      )
    const before = measure()
    document.documentElement.style.fontSize = '200%'
    return {
      before,
      after: measure(),
      isTooWide: document.documentElement.scrollWidth > innerWidth,
    }
  })
  for (const [i, size] of sizes.after.entries())
    assert.ok(size >= 1.9 * sizes.before[i], `${sizes.before} ${sizes.after}`)
  assert.not(sizes.isTooWide)
})

await test('the text has an outline only after the Tab key, also in forced colours', async () => {
  writeTable(3)
  const { address } = await startLabel()
  const page = await openPage(address)
  await waitForStep(page, 1)
  const readOutline = () =>
    page.evaluate(() => getComputedStyle(document.querySelector('main')).outlineStyle)
  assert.is(await readOutline(), 'none')
  await page.keyboard.press('1')
  await waitForStep(page, 2)
  assert.is(await readOutline(), 'none')
  await page.keyboard.press('Tab')
  await page.keyboard.down('Shift')
  await page.keyboard.press('Tab')
  await page.keyboard.up('Shift')
  const cdp = await page.createCDPSession()
  for (const value of ['none', 'active']) {
    await cdp.send('Emulation.setEmulatedMedia', { features: [{ name: 'forced-colors', value }] })
    assert.is(await page.evaluate(() => document.activeElement.tagName), 'MAIN')
    assert.is(await readOutline(), 'solid', `forced colours: ${value}`)
  }
})

await test('the switch for single-key shortcuts is kept for the next session', async () => {
  writeTable(3)
  const first = await startLabel()
  const page = await openPage(first.address)
  await waitForStep(page, 1)
  await clickButton(page, 'Single-key shortcuts')
  assert.is(
    await page.$eval('[role=switch]', (button) => button.getAttribute('aria-checked')),
    'false',
  )
  await page.keyboard.press('1')
  await clickButton(page, 'No')
  await waitForText(page, 'Saved: No. Undo takes it back.')
  assert.equal(await findAccessibilityProblems(page), [])
  first.child.kill('SIGTERM')
  await first.result
  // The next session has another port.
  const second = await startLabel()
  const secondPage = await openPage(second.address)
  await waitForStep(secondPage, 1)
  assert.is(await secondPage.$('kbd'), null)
  await clickButton(secondPage, 'Single-key shortcuts')
  await secondPage.keyboard.press('1')
  await waitForStep(secondPage, 2)
  assert.match(readTable(), /",no/)
})

await test('each text has its own direction, nested JSON is monospace, and the id is in the header', async () => {
  const row = '"{""subject"":""قمت بالدفع مرتين"",""order"":{""n"":1}}"'
  writeCustomTable('row', [row], questions)
  const { address } = await startLabel()
  const page = await openPage(address)
  await waitForStep(page, 1)
  const state = await page.evaluate(() => ({
    direction: getComputedStyle(document.querySelector('main p')).direction,
    font: getComputedStyle(document.querySelector('main pre')).fontFamily,
    hasId: document.querySelector('header').textContent.includes('t-0'),
    isQuestionAbove:
      document.querySelector('h1').getBoundingClientRect().bottom <=
      document.querySelector('main').getBoundingClientRect().top,
    labels: document.querySelectorAll('[aria-label]').length,
  }))
  assert.equal(state, {
    direction: 'rtl',
    font: 'ui-monospace, monospace',
    hasId: true,
    isQuestionAbove: true,
    labels: 0,
  })
})

await test('the borders of buttons and fields have a contrast of 3:1', async () => {
  writeTable(3)
  const { address } = await startLabel()
  const page = await openPage(address)
  await waitForStep(page, 1)
  for (const scheme of ['light', 'dark']) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
    const contrasts = await page.evaluate(() => {
      const luminance = (color) => {
        const [red, green, blue] = color
          .match(/[\d.]+/g)
          .slice(0, 3)
          .map((part) => part / 255)
          .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue
      }
      const contrast = (first, second) => {
        const [dark, light] = [luminance(first), luminance(second)].sort((a, b) => a - b)
        return (light + 0.05) / (dark + 0.05)
      }
      const outside = getComputedStyle(document.querySelector('.panel')).backgroundColor
      return [...document.querySelectorAll('.panel button, .panel input')].flatMap((control) => {
        const { borderTopColor, backgroundColor } = getComputedStyle(control)
        return [contrast(borderTopColor, backgroundColor), contrast(borderTopColor, outside)]
      })
    })
    assert.ok(Math.min(...contrasts) >= 3, `${scheme}: ${Math.min(...contrasts)}`)
  }
})

await test('nothing moves when the first row comes', async () => {
  writeTable(3)
  const { address } = await startLabel()
  const page = await openPage('about:blank')
  await page.evaluateOnNewDocument(() => {
    globalThis.shift = 0
    new PerformanceObserver((list) => {
      for (const { value } of list.getEntries()) globalThis.shift += value
    }).observe({ type: 'layout-shift', buffered: true })
  })
  await page.goto(address)
  await waitForStep(page, 1)
  await waitForFrames(page)
  assert.is(await page.evaluate(() => globalThis.shift), 0)
})

await test('the end has the focus on done, counts per answer, the next command and the skipped rows', async () => {
  writeTable(3)
  const { address, result } = await startLabel()
  const page = await openPage(address)
  for (const [step, key] of [
    [1, '1'],
    [2, 's'],
    [3, '1'],
  ]) {
    await waitForStep(page, step)
    await page.keyboard.press(key)
  }
  await waitForText(page, 'All done')
  assert.equal(await findAccessibilityProblems(page), [])
  const state = await page.evaluate(() => ({
    focus: document.activeElement.textContent,
    counts: [...document.querySelectorAll('tr')].map((row) => row.textContent),
    commands: [...document.querySelectorAll('code')].map((code) => code.textContent),
  }))
  assert.equal(state, {
    focus: 'Done',
    counts: ['Yes2', 'No0', 'still empty1'],
    commands: [tablePath, `svc eval run.jsonl --labels ${tablePath} --table`],
  })
  await clickButton(page, 'Go through the skipped rows (1)')
  await waitForStep(page, 2)
  await page.keyboard.press('2')
  await waitForText(page, 'All done')
  await page.keyboard.press('Enter')
  await waitForText(page, 'You can close this tab')
  assert.is((await result).code, 0)
})

await test('undo shows the answer and keeps the note', async () => {
  writeTable(3)
  const { address } = await startLabel()
  const page = await openPage(address)
  await waitForStep(page, 1)
  const before = await locate(page, '.panel')
  await page.keyboard.press('n')
  await page.keyboard.type('in Welsh')
  await page.keyboard.press('Enter')
  await page.keyboard.press('2')
  await waitForStep(page, 2)
  await page.keyboard.press('u')
  await waitForText(page, 'Taken back: No.')
  assert.is(await page.$eval('.undone', (button) => button.textContent.includes('No')), true)
  assert.is(await page.$eval('input', (input) => input.value), 'in Welsh')
  assert.is(await locate(page, '.panel'), before)
})

await test('notices within five seconds that the table was changed, or that svc label is gone', async () => {
  writeTable(30)
  const changed = await startLabel()
  const page = await openPage(changed.address)
  await waitForStep(page, 1)
  await page.keyboard.press('1')
  await waitForStep(page, 2)
  const original = readTable()
  writeFileSync(tablePath, `${original}99,t-99,0.3,"new",\r\n`)
  // The time limit is part of what the page promises.
  await page.waitForFunction(
    () => document.body.innerText.includes('One answer since the start waits in the download.'),
    { timeout: 5000 },
  )
  await waitForText(page, 'End svc label with Ctrl-C and start it again.')
  assert.equal(await findAccessibilityProblems(page), [])
  writeFileSync(tablePath, original)
  await clickButton(page, 'Try again')
  await waitForStep(page, 2)
  changed.child.kill('SIGKILL')
  await page.waitForFunction(
    () => document.body.innerText.includes('svc label does not answer. No answer waits'),
    { timeout: 5000 },
  )
  await waitForText(page, 'start it again with the same command')
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

import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import { comparePictures } from '../../src/pictures/compare.ts'
import { takePictures } from '../../src/pictures/take.ts'
import { findChromium } from '../e2e/browser.ts'
import { openProjects, runVitestWith } from './_project.ts'

const projects = openProjects()
afterEach(() => projects.clear())

const places = { executablePath: findChromium() }
const settings = { mask: (text: string) => text.replace(/\d{6}/, '[code]'), timeoutMs: 100_000, places }
const views = ['375-light', '700-light', '375-dark', '700-dark']
const widthOf = (png: Buffer): number => png.readUInt32BE(16)
const heightOf = (png: Buffer): number => png.readUInt32BE(20)

it('takes pictures of hostile HTML, of which nothing runs and nothing is loaded', async () => {
  const connections: string[] = []
  const server = createServer((socket) => {
    connections.push('one')
    socket.destroy()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const html = `<meta http-equiv="refresh" content="0; url=${url}/refresh">
    <link rel="preconnect" href="${url}"><link rel="dns-prefetch" href="${url}"><link rel="stylesheet" href="${url}/a.css">
    <style>@import "${url}/b.css"; @font-face { font-family: f; src: url(${url}/f.woff) }
      body { font-family: f; background: url(${url}/bg.png) }
      @media (prefers-color-scheme: dark) { body { background: #000; color: #fff } }</style>
    <script>document.write('<h1>ran</h1>'.repeat(100)); fetch('${url}/fetch')</script>
    <body onload="location = '${url}/onload'"><form><input name="nodeName"><img name="createTreeWalker" src="${url}/i.png"></form>
    <iframe src="${url}/frame"></iframe><iframe srcdoc="<script src='${url}/s.js'></script>"></iframe>
    <object data="${url}/object"></object><video autoplay src="${url}/video"></video>
    <img name="body" src="x" onerror="fetch('${url}/error')"><p>Your code is <b>482913</b></p>`
  const first = await takePictures(html, settings)
  const again = await takePictures(html.replace('482913', '739204'), settings)
  expect(connections).toEqual([])
  expect(first.map(({ view }) => view)).toEqual(views)
  expect(first.map(({ png }) => widthOf(png))).toEqual([375, 700, 375, 700])
  for (const { png } of first) expect(heightOf(png)).toBeLessThan(1500)
  for (const [at, { png }] of first.entries())
    expect(await comparePictures(png, again[at]?.png ?? Buffer.of(), 0.1)).toBeNull()
  const [light, , dark] = first
  expect(await comparePictures(light?.png ?? Buffer.of(), dark?.png ?? Buffer.of(), 0.1)).not.toBeNull()
}, 120_000)

it('shows the beginning of a long mail, and refuses what cannot be compared', async () => {
  const [tall] = await takePictures('<p style="height: 90000px">Tall</p>', settings)
  expect(heightOf(tall?.png ?? Buffer.of())).toBe(8000)
  const [short] = await takePictures('<p style="height: 900px">Tall</p>', settings)
  const found = await comparePictures(short?.png ?? Buffer.of(), tall?.png ?? Buffer.of(), 0.1)
  expect(found?.sizes).toMatch(/^375×8000, not 375×9\d\d$/)
  expect(heightOf(found?.picture ?? Buffer.of())).toBe(8000)
  await expect(takePictures('x'.repeat(4_000_001), settings)).rejects.toThrow('up to 4000000')
  const png = tall?.png ?? Buffer.of()
  const huge = Buffer.from(png)
  huge.writeUInt32BE(0x7fffffff, 16)
  for (const stored of [Buffer.of(), Buffer.from('GIF89a'), huge, png.subarray(0, 60)])
    await expect(comparePictures(stored, png, 0.1)).rejects.toThrow('is not a PNG')
  await expect(comparePictures(png.subarray(0, 20), png, 0.1)).rejects.toThrow(
    'it does not begin with the header of a PNG',
  )
}, 120_000)

it('says what to install where there is no Playwright or no browser', async () => {
  const without = { ...settings, places: { requirers: ['/nowhere/package.json'] } }
  await expect(takePictures('x', without)).rejects.toThrow('npm install --save-dev playwright-core')
  const noBrowser = { ...settings, places: { executablePath: '/nowhere/chromium' } }
  await expect(takePictures('x', noBrowser)).rejects.toThrow('CHROMIUM_PATH=/usr/bin/chromium')
})

it('counts the start of the browser as time of the pictures', async () => {
  const dir = projects.make({})
  const playwright = join(dir, 'node_modules/playwright-core')
  mkdirSync(playwright)
  const slowBrowser = `const later = (ms) => new Promise((done) => setTimeout(done, ms))
    const newContext = () => later(100).then(() => { throw new Error('There was time left') })
    exports.chromium = { launch: () => later(300).then(() => ({ newContext, close: () => {} })) }`
  writeFileSync(join(playwright, 'index.js'), slowBrowser)
  const slow = { ...settings, timeoutMs: 200, places: { requirers: [join(dir, 'package.json')] } }
  await expect(takePictures('x', slow)).rejects.toThrow('The pictures were not ready within 200 ms')
})

const file = (text: string): string => `import { test, expect } from 'localpost/vitest'
  test('welcomes / Ada', async ({ localpost }) => {
    const html = '<h1>${text}</h1><p>Your code is ' + (100000 + Math.floor(Math.random() * 900000)) + '</p>'
    const { id } = await localpost.emails.send({ from: 'hi@acme.test', to: 'ada@example.com', subject: 'Welcome', html })
    const mail = await localpost.inbox.waitFor({ id }, { timeoutMs: 60_000 })
    expect(mail).toMatchMailSnapshot({ except: ['html'] })
    await expect(mail).toMatchMailPictures({ timeoutMs: 100_000 })
  })`

it('vitest keeps the pictures, and shows where a mail differs', async () => {
  const dir = projects.make({ 'mail.test.js': file('Welcome') })
  const run = (...args: string[]): ReturnType<typeof runVitestWith> =>
    runVitestWith({ CHROMIUM_PATH: findChromium() }, dir, '--testTimeout=110000', ...args)
  const stored = (): string[] =>
    readdirSync(join(dir, '__snapshots__/mail.test.js')).map((name) => name.replace(/-[\da-f]{8}-/, ' '))
  const names = views.map((view) => `welcomes-Ada ${view}.png`).toSorted()

  // Awaited only when it has failed, so that its own stack has no line of the test.
  const awaitedLate = file('Welcome')
    .replace('expect(mail).toMatchMailSnapshot', '//')
    .replace('await expect', 'const failing = expect')
    .concat('\n')
    .replace(
      /\n {2}\}\)\n$/,
      '\n    await new Promise((done) => failing.then(done, done))\n    await failing\n  })',
    )
  writeFileSync(join(dir, 'mail.test.js'), awaitedLate)
  const missing = await run()
  expect(missing.output).toContain('❯ mail.test.js:7:')
  expect(missing.output).toMatch(/mail\.test\.js\/welcomes-Ada-\w+-375-light\.png is missing/)
  expect(missing.output).toContain('accept them: npx vitest run mail.test.js -u')
  expect(existsSync(join(dir, '__snapshots__'))).toBe(false)

  writeFileSync(join(dir, 'mail.test.js'), file('Welcome'))
  expect((await run('-u')).output).toMatch(/Tests\s+1 passed/)
  expect(stored()).toEqual(names)
  expect((await run()).output).toMatch(/Tests\s+1 passed/)

  writeFileSync(join(dir, 'mail.test.js'), file('Goodbye'))
  const changed = await run()
  expect(changed.output).toMatch(/375-light\.png: \d+ pixels differ\. See \S+375-light\.difference\.png/)
  expect(changed.status).toBe(1)
  expect(stored()).toHaveLength(12)
  expect((await run('-u')).status).toBe(0)
  expect(stored()).toEqual(names)
}, 120_000)

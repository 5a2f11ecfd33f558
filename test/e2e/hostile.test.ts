import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { SendMailOptions } from 'nodemailer'
import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { mailTabs } from '../../ui/views/inbox/tabs.ts'
import { frameOf, openPage, rowOf, submit, tab } from './_setup.ts'
import { browser } from './context.ts'

describe('a hostile mail', () => {
  it('runs no script, leads nowhere and loads nothing', async () => {
    const { post, page } = await openPage()
    const trap = await openTrap()
    const surprises = watch(page)
    await submit(post, { ...hostile(trap.url), subject: '<img src=x onerror="top.hit=1">{{7*7}}' })
    await rowOf(page, 'onerror').click()
    const frame = frameOf(page)
    await frame.getByText('Look at this').waitFor()
    const sides = mailTabs.filter((side) => side !== 'Attachments')
    for (const side of sides.reverse()) await tab(page, side).click()
    await frame.getByText('Look at this').waitFor()
    await page.waitForTimeout(500)

    for (const name of ['a javascript link', 'a data link', 'a vector link']) {
      await frame.getByText(name, { exact: true }).click()
      await page.waitForTimeout(150)
      await frame.getByText('Look at this').waitFor()
    }
    await frame.getByRole('button', { name: 'Send' }).click()
    await page.waitForTimeout(300)

    expect(surprises).toEqual([])
    expect(trap.hits).toEqual([])
    expect(await page.evaluate(() => 'hit' in globalThis)).toBe(false)
    expect(await page.locator('section.main').innerText()).toContain('<img src=x onerror="top.hit=1">{{7*7}}')
    expect(new URL(page.url()).origin).toBe(new URL(post.url ?? '').origin)
    expect(browser.context.pages()).toHaveLength(2)
  })

  it('opens its links in a new tab that learns nothing of the page, and only those of the web', async () => {
    const { post, page } = await openPage()
    const trap = await openTrap()
    // Names that would hide the members of the document.
    const clobber = ['querySelector', 'addEventListener', 'body', 'documentElement', 'closest']
      .map((name) => `<form name="${name}"><input name="closest"></form><img name="${name}">`)
      .join('')
    const links = Object.entries({
      plain: `href="${trap.url}/plain"`,
      blank: `href="${trap.url}/blank" target="_blank" rel="opener"`,
      top: `href="${trap.url}/top" target="_top" referrerpolicy="unsafe-url"`,
      script: 'href="javascript:top.hit=1" target="_blank"',
      spaced: 'href=" java&#10;script:top.hit=1"',
      data: 'href="data:text/html,x" target="_blank"',
      blob: `href="blob:${post.url}/x"`,
      file: 'href="file:///etc/passwd"',
      relative: 'href="/dev/inbox"',
    })
    const html = `${clobber}${links.map(([name, href]) => `<p><a ${href}>${name}</a></p>`).join('')}`
    await submit(post, { subject: 'Links', html })
    await rowOf(page, 'Links').click()
    const frame = frameOf(page)
    for (const [name] of links) {
      const link = frame.getByRole('link', { name, exact: true })
      const opens = ['plain', 'blank', 'top'].includes(name)
      const opened = opens ? browser.context.waitForEvent('page') : null
      await link.click()
      const popup = await opened
      if (!popup) continue
      await popup.waitForURL(`${trap.url}/${name}`)
      expect(await popup.evaluate(() => [opener, document.referrer, history.length])).toEqual([null, '', 1])
      await popup.close()
    }
    await frame.getByText('relative').waitFor()
    expect(trap.hits.filter((path) => path !== '/favicon.ico')).toEqual(['/plain', '/blank', '/top'])
    expect(trap.referrers).toEqual([])
    expect(browser.context.pages()).toHaveLength(2)
    expect(await page.evaluate(() => 'hit' in globalThis)).toBe(false)
  })

  it('requests nothing from our own server by a relative address', async () => {
    const { post, page } = await openPage()
    const trap = await openTrap()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    const html = `<style>p{background:url(rel-a)} i{background:image-set("/rel-b" 1x)}</style>
      <p style="background-image:url('rel-c')">Seen</p><i>i</i><img src="rel-d"><img srcset="/rel-e 1x, rel-f 2x">
      <table background="rel-g"><tr><td>x</td></tr></table><svg><image href="rel-h"/></svg>
      <a href="rel-i">relative</a> <a href="/rel-j">from the root</a> <a href="?rel-k">of the page</a>
      <form action="rel-l"><button>Send</button></form><img src="${trap.url}/whole.png">`
    await submit(post, { subject: 'Relative', html })
    await rowOf(page, 'Relative').click()
    await page.getByRole('button', { name: 'Load them' }).click()
    const frame = frameOf(page)
    // Relative addresses come first.
    await expect.poll(() => trap.hits).toEqual(['/whole.png'])
    for (const name of ['relative', 'from the root', 'of the page']) {
      await frame.getByRole('link', { name, exact: true }).click()
      await frame.getByText('Seen').waitFor()
    }
    await frame.getByRole('button', { name: 'Send' }).click()
    await frame.getByText('Seen').waitFor()
    expect(asked.filter((url) => url.includes('rel-'))).toEqual([])
  })

  it('loads remote images only on request', async () => {
    const { post, page } = await openPage()
    const trap = await openTrap()
    await submit(post, { subject: 'With a picture', html: `<img src="${trap.url}/picture.png"><p>Seen</p>` })
    await rowOf(page, 'With a picture').click()
    await frameOf(page).getByText('Seen').waitFor()
    expect(trap.hits).toEqual([])
    await page.getByRole('button', { name: 'Load them' }).click()
    await expect.poll(() => trap.hits).toEqual(['/picture.png'])
  })

  it('loads images, fonts and style sheets after consent, and never a tracking pixel', async () => {
    const { post, page } = await openPage()
    const trap = await openTrap()
    const html = `<link rel="stylesheet" href="${trap.url}/sheet.css"><link rel="preload" href="${trap.url}/no">
      <style>@font-face{font-family:x;src:url(${trap.url}/font.woff2)} p{font-family:x}</style><p>Seen</p>
      <img src="${trap.url}/picture.png"><img src="${trap.url}/pixel.gif" width="1" height="1">
      <img style="width:1px;height:1px" src="${trap.url}/pixel.gif"><img src="${trap.url}/t/o/abc.def">`
    await submit(post, { subject: 'Remote', html })
    await rowOf(page, 'Remote').click()
    await page.getByText('Remote images, fonts and style sheets are not loaded').waitFor()
    await frameOf(page).getByText('Seen').waitFor()
    expect(trap.hits).toEqual([])
    await page.getByRole('button', { name: 'Load them' }).click()
    await expect.poll(() => [...trap.hits].sort()).toEqual(['/font.woff2', '/picture.png', '/sheet.css'])
  })

  it('remembers consent for a sender, a domain or all mail, and takes it back', async () => {
    const { post, page } = await openPage()
    const trap = await openTrap()
    const html = `<img src="${trap.url}/picture.png"><p>Seen</p>`
    await submit(post, { subject: 'First', html })
    await submit(post, { subject: 'Of the same domain', html, from: 'other@acme.test' })
    await submit(post, { subject: 'Of another domain', html, from: 'other@else.test' })
    await submit(post, { subject: 'Without', html: `<p>See <a href="${trap.url}">this</a></p>` })
    const scopeAfter = async (scope: RegExp, subject: string): Promise<void> => {
      await rowOf(page, subject).click()
      await page.getByRole('button', { name: 'Always load remote content' }).click()
      await page
        .getByRole('group', { name: 'Always load remote content' })
        .getByRole('button', { name: scope })
        .click()
      await page.getByRole('button', { name: 'Ask again' }).waitFor()
    }
    await scopeAfter(/hello@acme/, 'First')
    await page.reload()
    await page.getByText('are loaded for mail from hello@acme.test').waitFor()
    await scopeAfter(/For acme.test/, 'Of the same domain')
    await scopeAfter(/all mail/, 'Of another domain')
    expect(trap.hits.length).toBeGreaterThanOrEqual(4)
    await page.getByRole('button', { name: 'Ask again' }).click()
    await page.getByRole('button', { name: 'Load them' }).waitFor()
    await rowOf(page, 'Without').click()
    await frameOf(page).getByText('See').waitFor()
    await expect.poll(() => page.getByText(/are (?:not )?loaded/).count()).toBe(0)
  })
})

/** A server that no mail may reach: it records every request. */
async function openTrap(): Promise<{ url: string; hits: string[]; referrers: string[] }> {
  const hits: string[] = []
  const referrers: string[] = []
  const server: Server = createServer((request, response) => {
    hits.push(request.url ?? '')
    // The icon of a page is asked for by that page.
    if (request.headers.referer && request.url !== '/favicon.ico') referrers.push(request.headers.referer)
    // A font is loaded with CORS.
    response.setHeader('access-control-allow-origin', '*')
    if (request.url?.endsWith('.css')) response.setHeader('content-type', 'text/css')
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, hits, referrers }
}

/** Signs that a mail ran a script, or that an answer came from another origin than the page's own. */
function watch(page: Page): string[] {
  const surprises: string[] = []
  page.on('dialog', (dialog) => {
    surprises.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('popup', (popup) => surprises.push(`popup: ${popup.url()}`))
  page.on('pageerror', (error) => surprises.push(`error: ${error.message}`))
  page.on('download', (download) => surprises.push(`download: ${download.url()}`))
  const { origin } = new URL(page.url())
  page.on('response', (response) => {
    if (!response.url().startsWith(`${origin}/`)) surprises.push(`response: ${response.url()}`)
  })
  return surprises
}

function hostile(url: string): SendMailOptions {
  const run = `fetch('${url}/ran');alert(1);top.hit=1`
  return {
    from: '"<script>top.hit=1</script>" <evil@example.net>',
    text: `</pre><script>${run}</script>`,
    html: `<html><head>
      <meta http-equiv="refresh" content="0;url=${url}/refresh">
      <base href="${url}/" target="_top">
      <link rel="stylesheet" href="${url}/style.css">
      <link rel="prefetch" href="${url}/prefetch"><link rel="dns-prefetch" href="${url}">
      <style>@import "${url}/import.css"; body { background: url(${url}/background.png) }
        @font-face { font-family: x; src: url(${url}/font.woff2) } p { font-family: x }</style>
      <script>${run}</script><script src="${url}/script.js"></script></head>
      <body onload="${run}"><p>Look at this</p>
      <img src="${url}/pixel.png" onerror="${run}"><img src="x" onerror="${run}">
      <svg onload="${run}"><image href="${url}/svg.png"/></svg>
      <iframe src="${url}/frame"></iframe><iframe srcdoc="<script>${run}</script>"></iframe>
      <object data="${url}/object"></object><embed src="${url}/embed"><video src="${url}/video" poster="${url}/poster"></video>
      <a href="javascript:${run}">a javascript link</a> <a href="data:text/html,<script>${run}</script>">a data link</a>
      <svg width="90" height="20"><a xlink:href="javascript:${run}"><text y="15">a vector link</text></a></svg>
      <a href="${url}/link">a link</a> <a href="${url}/blank" target="_blank">a link in a new tab</a>
      <form action="${url}/form" method="post"><button>Send</button></form></body></html>`,
  }
}

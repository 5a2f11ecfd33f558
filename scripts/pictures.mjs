/**
 * Makes the pictures in `docs/images`, of the inbox page and of what tests write: `npm run docs:pictures`. It needs Chromium,
 * by its path in CHROMIUM or at /usr/bin/chromium, and the fonts of the scripts in the mails (Debian: fonts-noto-core,
 * fonts-noto-color-emoji).
 */
import { copyFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createTransport } from 'nodemailer'
import { chromium } from 'playwright-core'
import { missingGlyphs } from './missing-glyphs.mjs'
import { orderMail } from './order-mail.mjs'
import { testOrderMails } from './order-tests.mjs'
import { root } from './prepare.mjs'

const { createClock, createLocalpost } = createRequire(import.meta.url)(join(root, 'dist/index.cjs'))
const minute = 60_000
const hour = 60 * minute
const newest = Date.parse('2026-11-20T22:17:50Z')

/** The mails, oldest first: how long before the newest one, what is sent, and what happens to it afterwards. */
const mails = [
  {
    ago: 100 * hour,
    ...orderMail({ button: '#0b4f6e' }),
  },
  {
    ago: 76 * hour,
    from: 'Acme <hello@acme.example>',
    to: 'mailbox@example.net',
    subject: 'Reset your password',
    text: 'Somebody asked for a new password.',
    event: { status: 'opened' },
  },
  {
    ago: 31 * hour,
    from: 'Grace Hopper <grace@example.com>',
    to: 'ada@example.com',
    subject: 'Accepted: design review on Monday',
    text: 'Grace Hopper has accepted your invitation to the design review.',
    isSmtp: true,
  },
  {
    ago: 30 * hour,
    from: 'no-reply@acme.example',
    to: 'linus@example.com',
    subject: '',
    text: '',
    isSmtp: true,
    isUnread: true,
  },
  {
    ago: 9 * hour,
    from: 'Lena from Pico 🪴 <lena@pico.example>',
    to: 'ada@example.com',
    subject: '🎉 Welcome to Pico! Here is your first plant',
    text: 'We are so happy that you are here. Three things to start with.',
    event: { status: 'clicked', link: 'https://pico.example/start' },
  },
  {
    ago: 6 * hour,
    from: 'دعم المتجر <support@store.example>',
    to: 'layla@example.com',
    subject: 'تم استلام طلبك وسنقوم بالشحن قريبًا',
    text: 'مرحبًا ليلى، شكرًا لطلبك. سنرسل لك رقم التتبع بمجرد شحن الطلب.',
    isSmtp: true,
  },
  {
    ago: 4 * hour,
    from: 'root@build-07.internal',
    to: 'ops@acme.example',
    subject: 'cron: nightly backup finished with warnings',
    text: '/etc/cron.daily/backup: rsync: some files vanished before they could be copied',
    isSmtp: true,
    isUnread: true,
  },
  {
    ago: 2 * hour,
    from: 'Acme Billing <billing@acme.example>',
    to: 'accounts@example.com',
    subject: 'Invoice 2026-1107 for October',
    text: 'Please find the invoice for October attached.',
    attachments: [{ filename: 'invoice.pdf', path: 'data:application/pdf;base64,JVBERi0xLjcK' }],
  },
  {
    ago: 48 * minute,
    from: 'Acme Billing <billing@acme.example>',
    to: 'bounce@simulator.localpost',
    subject: 'Payment reminder',
    text: 'This is a friendly reminder: invoice 2026-0911 is overdue.',
  },
  {
    ago: 11 * minute,
    from: 'Acme <hello@acme.example>',
    to: 'grace.hopper@example.com',
    subject: '482913 is your sign-in code',
    text: 'Use 482913 to sign in to Acme. It is good for ten minutes.',
    event: { status: 'opened' },
    isUnread: true,
  },
  {
    ago: 0,
    ...orderMail(),
  },
]

const clock = createClock({ now: newest - mails[0].ago })
const post = await createLocalpost({ clock })
const { url } = await post.listen()
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
try {
  await assertFonts()
  await receiveMails()
  const { id } = await post.inbox.latest()
  const bounced = await post.inbox.waitFor('subject:"Payment reminder"')
  const code = await post.inbox.waitFor('subject:"sign-in code"')
  const onPhone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 }
  await picture('inbox.png', `mail/${id}`)
  await picture('inbox-narrow-dark.png', `mail/${id}`, { ...onPhone, colorScheme: 'dark' })
  await picture('list-narrow.png', '', onPhone)
  await picture('checks.png', `mail/${id}`, { prepare: (page) => openTab(page, 'Checks') })
  await picture('bounce-dark.png', `mail/${bounced.id}`, {
    colorScheme: 'dark',
    prepare: (page) => openTab(page, 'Events'),
  })
  await picture('preview.png', `mail/${id}`, { prepare: showAsOutlook })
  await picture('compare.png', `mail/${id}/compare/previous`)
  await picture('search.png', `mail/${code.id}`, { prepare: searchSender })
  await picturesOfTests()
} finally {
  await browser.close()
  await post.close()
}

/** Without a font, a picture would show boxes in place of letters. */
async function assertFonts() {
  const page = await browser.newPage()
  const missing = await missingGlyphs(page, [
    ...new Set(JSON.stringify(mails).match(/\p{L}|\p{Emoji_Presentation}/gu)),
  ])
  await page.close()
  if (missing.length > 0)
    throw new Error(
      `No font of this machine has ${missing.join(' ')}, which the mails contain. Install fonts with them, for example by "apt-get install fonts-noto-core fonts-noto-color-emoji".`,
    )
}

async function receiveMails() {
  const transport = createTransport({ host: '127.0.0.1', port: post.smtp.port, ignoreTLS: true })
  for (const { ago, isSmtp, event, isUnread = false, ...mail } of mails) {
    const wait = newest - ago - clock.now()
    if (wait > 0) await clock.advance(wait)
    const before = await post.inbox.mark()
    if (isSmtp) await transport.sendMail(mail)
    else await post.emails.send(mail)
    const { id } = await post.inbox.waitFor({ after: before })
    if (event) await post.emails.addEvent(id, { recipient: mail.to, ...event })
    await post.inbox.update(id, { unread: isUnread })
  }
  transport.close()
}

/**
 * @param hash  The view: what follows `#/` in its address.
 * @param options  Those of a page of Playwright. `prepare` does what a person does before the picture is taken.
 */
async function picture(name, hash, { prepare, ...options } = {}) {
  const page = await browser.newPage({
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    ...options,
  })
  await page.clock.setFixedTime(newest + 1000)
  await page.goto(`${url}/#/${hash}`)
  await page
    .locator(hash ? '.panel, article.compare' : '.list')
    .first()
    .waitFor()
  await prepare?.(page)
  await page.evaluate(() => document.fonts.ready)
  await page.waitForLoadState('networkidle').catch(() => {})
  await page.waitForTimeout(1000)
  await page.screenshot({ path: join(root, 'docs/images', name) })
  await page.close()
}

async function openTab(page, name) {
  await page.getByRole('tab', { name }).click()
}

async function showAsOutlook(page) {
  await page.getByRole('button', { name: 'View as' }).click()
  await page.getByRole('combobox', { name: 'Mail client' }).selectOption('outlook/windows')
  await page.keyboard.press('Escape')
  await page.evaluate(() => document.activeElement?.blur())
}

async function searchSender(page) {
  await page.getByRole('combobox').first().fill('from:acme after:3d -status:bounced')
  await page.keyboard.press('Enter')
}

/** The report of a run in which a mail has changed, and the difference that its test wrote. */
async function picturesOfTests() {
  const { difference, report, close } = await testOrderMails(executablePath)
  try {
    copyFileSync(difference, join(root, 'docs/images/picture-difference.png'))
    const page = await browser.newPage({
      viewport: { width: 1440, height: 900 },
      locale: 'en-GB',
      timezoneId: 'UTC',
    })
    await page.goto(pathToFileURL(report).href)
    await page.getByRole('button', { name: /order/ }).first().click()
    await page.locator('article[aria-busy=false] iframe:not(.ahead)').waitFor()
    await page.waitForTimeout(500)
    await page.screenshot({ path: join(root, 'docs/images/report.png') })
    await page.close()
  } finally {
    close()
  }
}

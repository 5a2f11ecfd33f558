/**
 * Makes the pictures of the inbox page in `docs/images`: `npm run docs:pictures`. It needs Chromium, by its path in
 * CHROMIUM or at /usr/bin/chromium, and the fonts of the scripts in the mails (Debian: fonts-noto-core, fonts-noto-color-emoji).
 */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { chromium } from 'playwright-core'
import { root } from './prepare.mjs'

const { createClock, createLocalpost } = createRequire(import.meta.url)(join(root, 'dist/index.cjs'))
const minute = 60_000
const hour = 60 * minute
const newest = Date.parse('2026-11-20T22:17:50Z')

const order = `<html lang="en"><head><title>Your order</title></head>
<body style="margin:0;padding:24px;background:#edf1f6;font-family:Arial,sans-serif;color:#16213e">
<div style="max-width:480px;margin:auto;padding:40px;border-radius:10px;background:#fff;line-height:1.5">
<b style="color:#0b6e4f">Northwind</b><h1>Your order is on its way</h1>
<p>Hi Ada, we packed order <b>#48213</b> this morning. It should be with you by Tuesday, and you can follow it at any time.</p>
<p><a href="https://northwind.example/parcels/48213" style="display:inline-block;padding:12px 24px;border-radius:6px;background:#0b6e4f;color:#fff;font-weight:bold;text-decoration:none">Track the parcel</a></p>
<table role="presentation" width="100%" cellpadding="6" style="border-top:1px solid #dde2ea">
<tr><td>Merino scarf, moss</td><td align="right">€ 48.00</td></tr><tr><td>Shipping</td><td align="right">€ 4.90</td></tr>
<tr><td><b>Total</b></td><td align="right"><b>€ 52.90</b></td></tr></table>
<p style="color:#5b6780;font-size:13px">Northwind Ltd, 4 Quay Street, Bristol</p></div></body></html>`

/** The mails, oldest first: how long before the newest one, what is sent, and what happens to it afterwards. */
const mails = [
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
    from: 'Northwind <orders@northwind.example>',
    to: 'ada@example.com',
    subject: 'Your order #48213 is on its way',
    html: order,
    text: 'Hi Ada, we packed order #48213 this morning.',
  },
]

const clock = createClock({ now: newest - mails[0].ago })
const post = await createLocalpost({ clock })
const { url } = await post.listen()
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
try {
  await receiveMails()
  const { id } = await post.inbox.latest()
  await picture('inbox.png', id, { width: 1440, height: 900 }, 'light', 1)
  await picture('inbox-narrow-dark.png', id, { width: 390, height: 844 }, 'dark', 2)
} finally {
  await browser.close()
  await post.close()
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

async function picture(name, id, viewport, colorScheme, deviceScaleFactor) {
  const page = await browser.newPage({
    viewport,
    colorScheme,
    deviceScaleFactor,
    locale: 'en-GB',
    timezoneId: 'UTC',
  })
  await page.clock.setFixedTime(newest + 1000)
  await page.goto(`${url}/#/mail/${id}`)
  await page.locator('iframe').waitFor()
  await page.evaluate(() => document.fonts.ready)
  await page.waitForLoadState('networkidle').catch(() => {})
  await page.waitForTimeout(1000)
  await page.screenshot({ path: join(root, 'docs/images', name) })
  await page.close()
}

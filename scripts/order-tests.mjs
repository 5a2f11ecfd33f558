/** Runs tests of mails twice with the built package, to make a report and a picture of a difference. */
import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startVitest } from 'vitest/node'
import { root } from './prepare.mjs'

const tests = `
import { expect, test } from 'localpost/vitest'
import { orderMail } from '../scripts/order-mail.mjs'

const acme = { from: 'Acme <hello@acme.example>', to: 'grace@example.com' }
const sent = async (localpost, mail) => {
  const { id } = await localpost.emails.send(mail)
  return localpost.inbox.waitFor({ id })
}

test('a customer is told that an order is on its way', async ({ localpost }) => {
  const mail = await sent(localpost, orderMail(JSON.parse(process.env.ORDER)))
  await expect(mail).toMatchMailPictures()
})

test('a visitor gets a code to sign in', async ({ localpost }) => {
  const mail = await sent(localpost, { ...acme, subject: '482913 is your sign-in code', text: 'Use 482913 to sign in.' })
  expect(mail).toHaveCode('482913')
})

test('an unpaid invoice is followed by a reminder', async ({ localpost }) => {
  await sent(localpost, { ...acme, subject: 'Invoice 2026-1107 for October', text: 'Please find the invoice attached.' })
  await sent(localpost, { ...acme, to: 'bounce@simulator.localpost', subject: 'Payment reminder', text: 'Invoice 2026-1107 is overdue.' })
})
`

/**
 * @param {string} chromium  The path of the browser.
 * @returns {Promise<{ report: string, difference: string, close: () => void }>} The files; `close` removes them.
 */
export async function testOrderMails(chromium) {
  // Below the root, so that the tests can import the package by its name.
  const dir = mkdtempSync(join(root, '.order-tests-'))
  const close = () => rmSync(dir, { recursive: true, force: true })
  try {
    process.env.CHROMIUM_PATH = chromium
    writeFileSync(join(dir, 'orders.test.js'), tests)
    const [report, baseline] = [join(dir, 'mails.html'), join(dir, 'last-week.html')]
    await run(dir, {}, { outputFile: report })
    renameSync(report, baseline)
    await run(dir, { button: '#8a2f5c', shipping: '€ 5.90' }, { outputFile: report, baseline })
    // A failed test is expected here, so this script must not fail.
    process.exitCode = 0
    const pictures = join(dir, '__snapshots__/orders.test.js')
    const difference = readdirSync(pictures).find((name) => /700-light.*difference/.test(name))
    return { report, difference: join(pictures, difference), close }
  } catch (error) {
    close()
    throw error
  }
}

async function run(root, order, report) {
  process.env.ORDER = JSON.stringify(order)
  const vitest = await startVitest('test', [], {
    root,
    config: false,
    watch: false,
    update: 'new',
    include: ['*.test.js'],
    testTimeout: 60_000,
    reporters: ['dot', ['localpost/reporter', report]],
  })
  await vitest.close()
}

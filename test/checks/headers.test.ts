import { describe, expect, it } from 'vitest'
import { checkMail } from '../../src/checks/run.ts'
import type { CheckedMail } from '../../src/checks/check.ts'
import { createLocalpost } from '../../src/instance/create.ts'
import { submit } from '../support/submit.ts'
import { mailWith, mailWithHeaders } from './_mail.ts'

async function resultOf(mail: CheckedMail, id: string): Promise<string[]> {
  const { findings, checks } = checkMail(mail)
  const said = findings
    .filter((finding) => finding.id === id)
    .map(({ severity, message }) => `${severity}: ${message}`)
  const run = checks.find((check) => check.id === id)
  return run?.outcome === 'skipped' ? [`skipped: ${run.message}`] : said
}
const dkim = (domain: string, result: 'pass' | 'fail' | 'no_key') => ({
  domain,
  selector: 's',
  result,
  reason: null,
})

describe('the alignment of a mail', () => {
  it.each<[string, Partial<CheckedMail>, string | null]>([
    ['by its signature', { dkim: dkim('acme.test', 'pass'), envelope: { mail_from: 'a@mailer.test' } }, null],
    [
      'by a signature whose key is not known here',
      { dkim: dkim('mail.acme.test', 'no_key'), envelope: { mail_from: '' } },
      null,
    ],
    [
      'not by a signature of another domain',
      { dkim: dkim('mailer.test', 'pass'), envelope: { mail_from: 'a@mailer.test' } },
      'error: DMARC fails: the mail is from acme.test, but it is signed by mailer.test and its envelope sender is of mailer.test: neither is of acme.test, so nothing proves that acme.test sent it.',
    ],
    [
      'not by a broken signature',
      { dkim: dkim('acme.test', 'fail'), envelope: { mail_from: 'a@mailer.test' } },
      'error: DMARC fails: the mail is from acme.test, but it has no valid DKIM signature and its envelope sender is of mailer.test: neither is of acme.test, so nothing proves that acme.test sent it.',
    ],
    [
      'unknown without both',
      { dkim: null, envelope: { mail_from: '' } },
      'skipped: There is neither a DKIM signature nor an envelope sender to compare with From.',
    ],
  ])('is given %s', async (_, changes, expected) => {
    expect(await resultOf(mailWith(changes), 'dmarc-alignment')).toEqual(expected === null ? [] : [expected])
  })

  it.each([
    ['', 'error: From has no address, so DMARC fails.'],
    ['Ada', 'error: From has no address, so DMARC fails.'],
    ['a@one.test, b@two.test', 'error: From has addresses of several domains: many servers reject the mail.'],
  ])('needs one domain in From: %j', async (from, expected) => {
    expect(await resultOf(mailWithHeaders({ From: from }), 'dmarc-alignment')).toEqual([expected])
  })
})

it.each([
  ['Mon, 05 Jan 2026 10:00:00 +0000', null],
  ['Mon, 5 Jan 2026 10:00:00 GMT', null],
  ['Tue, 13 Jan 2026 10:00:00 +0000', 'warning: The Date is more than a day after the arrival.'],
  ['Mon, 05 Jan 2015 10:00:00 +0000', 'note: The Date is more than a week before the arrival.'],
  // White space is optional after the comma, and may be long (RFC 5322 section 3.3).
  ['Mon,5 Jan 2026 10:00:00 +0000', null],
  ['Mon,05  Jan 2026\t10:00 +0000 (UTC)', null],
  ['Mon, (a (nested) comment) 05 Jan 2026 10:00:00 +0000 (UTC (x))', null],
  [`${'('.repeat(10)}x${')'.repeat(10)} 5 Jan 2026 10:00:00 +0000`, null],
  ['Mon, 05 Jan 2026 10:00:00 +0000 (UTC', 'warning: The Date has text after the zone: (UTC.'],
  ['5 Jan 2026 10:00:60 GMT', null],
  ['Fri, 5 Jan 2026 10:00:00 +0000', 'warning: The Date has the weekday Fri, but 5 Jan 2026 is a Mon.'],
  ['Mon, 1 Jan 0024 10:00:00 +0000', 'note: The Date is more than a week before the arrival.'],
  ['Foo, 5 Jan 2026 10:00:00 +0000', 'warning: The Date has the weekday Foo, but 5 Jan 2026 is a Mon.'],
  ['31 Nov 2026 10:00:00 +0000', 'warning: The Date names 31 Nov 2026, a day that does not exist.'],
  ['29 Feb 2026 10:00:00 +0000', 'warning: The Date names 29 Feb 2026, a day that does not exist.'],
  ['0 Jan 2026 10:00:00 +0000', 'warning: The Date names 0 Jan 2026, a day that does not exist.'],
  ['Mon, 99 Foo 2026 10:00:00 +0000', 'warning: The Date has the month Foo, which does not exist.'],
  ['Mon, 05 Jan 2026 24:00:00 +0000', 'warning: The Date has the time 24:00:00, which does not exist.'],
  ['Mon, 05 Jan 2026 10:60 +0000', 'warning: The Date has the time 10:60, which does not exist.'],
  ['Mon, 05 Jan 2026 10:00:00 +2500', 'warning: The Date has the zone +2500, which does not exist.'],
  ['Mon, 05 Jan 2026 10:00:00 +0160', 'warning: The Date has the zone +0160, which does not exist.'],
  ['Mon, 05 Jan 2026 10:00:00 -1300', 'warning: The Date has the zone -1300, which does not exist.'],
  ['Mon, 05 Jan 2026 10:00:00 CET', 'warning: The Date has the zone CET, which RFC 5322 does not define.'],
  ['Mon, 05 Jan 2026 10:00:00 +0000 UTC', 'warning: The Date has text after the zone: UTC.'],
  ['Mon, 05 Jan 2026 10:00:00', 'warning: The Date is not a valid date (RFC 5322).'],
  ['Mon, 05 Jan 26 10:00:00 +0000', 'warning: The Date is not a valid date (RFC 5322).'],
  ['1767607200', 'warning: The Date is not a valid date (RFC 5322).'],
])('the Date %j is rated %s', async (date, expected) => {
  expect(await resultOf(mailWithHeaders({ Date: date }), 'date')).toEqual(expected === null ? [] : [expected])
})

it.each([
  ['<a@acme.test>', null],
  ['a@acme.test', 'warning: The Message-ID is not of the form <name@domain>.'],
  ['<a>', 'warning: The Message-ID is not of the form <name@domain>.'],
  ['<a@localhost>', 'note: The Message-ID names localhost instead of your domain.'],
])('the Message-ID %j is rated %s', async (id, expected) => {
  expect(await resultOf(mailWithHeaders({ 'Message-ID': id }), 'message-id')).toEqual(
    expected === null ? [] : [expected],
  )
})

describe('one-click unsubscription', () => {
  const offered = { urls: ['https://acme.test/off'], one_click: true }
  const fields = {
    'List-Unsubscribe': '<https://acme.test/off>',
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }
  const signature = (fields: string): string =>
    `v=1; a=rsa-sha256; d=acme.test; s=s; h=${fields}; bh=eA==; b=eA==`

  it('needs https', async () => {
    const http = mailWithHeaders(fields, {
      list_unsubscribe: { urls: ['http://acme.test/off'], one_click: true },
    })
    expect(await resultOf(http, 'list-unsubscribe')).toEqual([
      'warning: The address in List-Unsubscribe is not https.',
    ])
  })

  it.each([
    ['from:list-unsubscribe:list-unsubscribe-post', 0],
    ['From : List-Unsubscribe : List-Unsubscribe-Post', 0],
    ['from:list-unsubscribe', 1],
  ])('is covered by a signature of %s', async (signed, count) => {
    const mail = mailWithHeaders(
      { ...fields, 'DKIM-Signature': signature(signed) },
      { list_unsubscribe: offered },
    )
    expect(await resultOf(mail, 'list-unsubscribe')).toHaveLength(count)
  })
})

it('mail that Localpost sends has no such problem, and mail of an app shows its own', async () => {
  await using post = await createLocalpost()
  const { id } = await post.emails.send({
    from: 'Acme <hi@acme.test>',
    to: 'ada@example.com',
    subject: 'Sent',
    text: 'Hi',
  })
  await post.inbox.waitFor({ subject: 'Sent' })
  const sent = await post.inbox.check(id)
  expect(sent.findings).toEqual([])
  const submitted = await submit(post, {
    from: 'hi@acme.test',
    subject: 'Submitted',
    text: 'Hi',
    replyTo: 'hi@other.test',
    envelope: { from: 'bounce@mailer.test', to: 'ada@example.com' },
  })
  const ids = (await post.inbox.check(submitted)).findings.map((finding) => finding.id)
  expect(ids).toEqual(['dmarc-alignment', 'reply-to', 'dkim'])
})

import { randomBytes, randomInt } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createLocalpost, type Localpost } from '../../src/index.ts'
import { mailSnapshot } from '../../src/testing/index.ts'
import { submit } from '../support/submit.ts'

let post: Localpost
beforeAll(async () => {
  post = await createLocalpost()
})
afterAll(() => post.close())

/** The mail of a sign-up as apps write it; everything that may differ each time does. */
async function signUp(changes: object = {}) {
  const code = String(randomInt(100_000, 1_000_000))
  const token = randomBytes(16).toString('base64url')
  const boundary = randomBytes(8).toString('hex')
  const link = `http://127.0.0.1:${randomInt(1024, 65_536)}/verify?token=${token}`
  const now = new Date(randomInt(2 ** 40)).toUTCString()
  const id = await submit(post, {
    from: 'Acme <hello@acme.test>',
    subject: `Your code is ${code}`,
    inReplyTo: `<${token}@acme.test>`,
    headers: { 'X-Request-Id': token, 'List-Unsubscribe': `<https://acme.test/u/${token}>` },
    text: `Your code is ${code}. Or follow ${link}\nSent ${now}.`,
    html: `<p>Your code is <b>${code}</b>. Or <a href="${link}">confirm</a>.<img src="cid:${token}@acme"></p>`,
    attachments: [
      { filename: 'logo.png', content: Buffer.from('logo'), cid: `${token}@acme`, contentType: 'image/png' },
      { filename: 'terms.txt', content: 'Terms' },
    ],
    boundaryPrefix: boundary,
    ...changes,
  })
  return post.inbox.get(id)
}

it('is the same text each time the same mail is sent', async () => {
  const texts = new Set<string>()
  for (let round = 0; round < 20; round++) texts.add(mailSnapshot(await signUp()))
  expect([...texts]).toEqual([
    `From: Acme <hello@acme.test>
To: ada@example.com
Subject: Your code is [code]
In-Reply-To: <[message-id]>
List-Unsubscribe: <https://acme.test/u/[token]>

--- structure ---
multipart/mixed
  text/plain
  text/html
  image/png (inline)
  text/plain (attachment)

--- text ---
Your code is [code]. Or follow http://127.0.0.1:[port]/verify?token=[token]
Sent [date].

--- html ---
<p>
  Your code is <b>[code]</b>. Or <a href="http://127.0.0.1:[port]/verify?token=[token]">confirm</a>.<img src="cid:[content-id]">
</p>

--- attachments ---
logo.png, image/png, sha256 3598ce6f965b2481fe26316c06b30950c46ac7f8e7229f104aa78f579997668d
terms.txt, text/plain, sha256 ede5489964834a514b61c7a4a8370be2452dd4a7d807180f14991ccc11ad2430`,
  ])
})

it.each([
  ['the sender', { from: 'Acme <hi@acme.test>' }],
  ['the subject', { subject: 'Another subject' }],
  ['the text', { text: 'Another text' }],
  ['an element of the HTML', { html: '<h1>Your code</h1>' }],
  ['an attachment', { attachments: [{ filename: 'logo.png', content: 'another' }] }],
  ['a recipient who is not named', { bcc: 'eve@example.com' }],
])('changes with %s', async (_, changes) => {
  expect(mailSnapshot(await signUp(changes))).not.toBe(mailSnapshot(await signUp()))
})

it('leaves out, adds and masks what its options name', async () => {
  const mail = await signUp({ text: 'Order A-17 of Ada', attachments: [] })
  const text = mailSnapshot(mail, {
    except: ['html', 'structure'],
    headers: ['X-Request-Id', 'message-id'],
    mask: ['Ada', /A-\d+/],
  })
  expect(text).toContain('X-Request-ID: [token]\n')
  expect(text).toContain('Message-ID: <[message-id]>')
  expect(text).toContain('Order [masked] of [masked]')
  expect(text).not.toContain('--- html')
  expect(text).not.toContain('--- structure')
})

it.each([
  [{ expect: ['html'] }, 'has no member "expect". Did you mean "except"?'],
  [{ except: ['htm'] }, 'except has no part "htm". Did you mean "html"?'],
  [{ except: 'html' }, 'except takes an array of texts, not "html"'],
  [{ mask: [''] }, 'mask takes an array of texts and regular expressions'],
  [{ mask: /a/ }, 'mask takes an array of texts and regular expressions, not /a/'],
])('refuses %j', async (options, message) => {
  const mail = await signUp()
  expect(() => mailSnapshot(mail, options as object)).toThrow(message)
})

it('refuses what is no mail', () => {
  expect(() => mailSnapshot(post as never)).toThrow('mailSnapshot looks at a mail')
})

it('says that it shows only the first of very many lines of text', async () => {
  const id = await submit(post, { text: 'a\n'.repeat(60_000) })
  const text = mailSnapshot(await post.inbox.get(id), { except: ['headers', 'structure'] })
  const lines = text.split('\n')
  expect(lines.length).toBeLessThan(50_010)
  expect(lines.at(-1)).toBe('(Only the first 50000 lines are shown.)')
})

import { expect, it } from 'vitest'
import { start } from '../support/instance.ts'
import { submit } from '../support/submit.ts'

const utf8 = (text: string): string => Buffer.from(text).toString('latin1')

it.each([
  ['in Q', `=?utf-8?Q?caf${utf8('é')}?= f\xfcr`, 'café für'],
  ['in Q, Latin-1 first', `f\xfcr =?utf-8?Q?caf${utf8('é')}?=`, 'für café'],
  ['beside B', `=?utf-8?B?w6k=?= ${utf8('à')} =?koi8-r?Q?\xd0?= f\xfcr`, 'é à п für'],
  ['in another charset', `=?koi8-r?Q?\xc3\xa9?= ${utf8('à')}`, 'ц╘ à'],
])('an encoded word with raw octets is the same over SMTP as over import: %s', async (_, value, text) => {
  const post = await start()
  const message = Buffer.from(
    `From: "${value}" <a@x.test>\r\nTo: ${value} <b@x.test>\r\nSubject: ${value}\r\nX-Tags: ${value}\r\n\r\nHello\r\n`,
    'latin1',
  )
  const id = await submit(post, { envelope: { from: 'a@x.test', to: 'b@x.test' }, raw: message })
  const captured = await post.inbox.get(id)
  const imported = await post.inbox.get((await post.inbox.import(message)).id)
  for (const mail of [captured, imported])
    expect(mail).toMatchObject({
      subject: text,
      from: expect.stringContaining(text) as string,
      to: ['b@x.test'],
      headers: expect.arrayContaining([
        ['Subject', text],
        ['To', `${text} <b@x.test>`],
      ]) as unknown,
    })
  expect(captured.tags).toEqual(imported.tags)
  expect((await post.inbox.list({ query: `subject:"${text}"` })).count).toBe(2)
})

it.each(['From', 'Reply-To'])('the names of %s are each read in their own charset', async (field) => {
  const post = await start()
  const names = `Ren\xe9 <a@x.test>, Zo${utf8('ë')} <b@x.test>, "M\xfcller, J\xf6rg" <c@x.test>`
  const other = field === 'From' ? '' : 'From: a@x.test\r\n'
  const message = Buffer.from(`${other}${field}: ${names}\r\nSubject: x\r\n\r\nHello\r\n`, 'latin1')
  const shown = 'René <a@x.test>, Zoë <b@x.test>, "Müller, Jörg" <c@x.test>'
  const id = await submit(post, { envelope: { from: 'a@x.test', to: 'b@x.test' }, raw: message })
  const imported = await post.inbox.import(message)
  for (const mail of [await post.inbox.get(id), await post.inbox.get(imported.id)])
    expect(field === 'From' ? mail.from : mail.reply_to).toBe(shown)
  const [listed] = (await post.inbox.list()).items
  expect(listed?.from).toBe(field === 'From' ? shown : 'a@x.test')
})

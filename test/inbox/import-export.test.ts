import { readFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { unzipSync } from 'fflate'
import { createTransport } from 'nodemailer'
import { expect, test } from 'vitest'
import { exportFileName } from '../../src/inbox/export.ts'
import { start } from '../support/instance.ts'

const message = (text: string): Buffer => Buffer.from(text.replaceAll('\n', '\r\n'))

test('an imported message is a mail like a submission, byte for byte, with its envelope from the header', async () => {
  const post = await start()
  const bytes = message(
    'Return-Path: <bounces@acme.test>\nFrom: Acme <hi@acme.test>\nTo: Ada <ada+signup@example.com>\nCc: ADA+signup@example.com, bounce@simulator.localpost.test\nX-Tags: invoice, , due soon\nSubject: Hi\n\nThe needle\n',
  )
  const { id } = await post.inbox.import(bytes)
  expect(await post.inbox.get(id)).toMatchObject({
    source: 'smtp',
    subject: 'Hi',
    tags: ['invoice', 'due soon', 'signup'],
    envelope: {
      mail_from: 'bounces@acme.test',
      rcpt_to: ['ADA+signup@example.com', 'bounce@simulator.localpost.test'],
    },
    last_event: { status: 'delivered' },
  })
  expect(await buffer((await post.inbox.raw(id)).stream)).toEqual(bytes)
  expect((await post.inbox.list({ query: 'needle tag:signup' })).count).toBe(1)
})

test('a message without recipients can be imported, an invalid one is refused', async () => {
  const post = await start()
  const { id } = await post.inbox.import(message('Subject: x\n\ny'))
  expect((await post.inbox.get(id)).envelope).toEqual({
    mail_from: '',
    rcpt_to: ['undisclosed@localpost.test'],
  })
  for (const wrong of [Buffer.from(''), Buffer.from('{"a":1}'), 'text' as unknown as Buffer])
    await expect(post.inbox.import(wrong)).rejects.toMatchObject({ code: 'validation_error' })
  const large = Buffer.concat([Buffer.from('Subject: x\r\n\r\n'), Buffer.alloc(41 * 1024 * 1024, 'a')])
  await expect(post.inbox.import(large)).rejects.toMatchObject({ code: 'message_too_large' })
  expect((await post.inbox.list()).count).toBe(1)
})

test('one message of a mailbox can be imported, several at once are refused', async () => {
  const post = await start()
  const first = 'From ada@x.test Mon Jan  1 00:00:00 2026\nFrom: ada@x.test\nSubject: one\n\nHello\n'
  const quoted = `${first}\nFrom here it goes on in 2026\nas a text: so.\n`
  const { id } = await post.inbox.import(message(quoted))
  expect(await post.inbox.get(id)).toMatchObject({ subject: 'one', envelope: { mail_from: 'ada@x.test' } })
  for (const several of [message(`${first}\n${first}`), Buffer.from(`${first}\n${first}`)]) {
    await expect(post.inbox.import(several)).rejects.toThrow('a mailbox of several messages')
  }
  await post.inbox.import(Buffer.from(`From x\nSubject: x\n${'\n\nFrom '.repeat(2_000_000)}`))
})

test('an export has the messages of the matches, byte for byte, under unique names', async () => {
  const post = await start()
  const fixture = readFileSync(new URL('../fixtures/iso-2022-jp.eml', import.meta.url))
  const { id } = await post.inbox.import(fixture)
  await createTransport(post.smtp).sendMail({
    from: 'a@acme.test',
    to: 'b@x.test',
    subject: '../../Évil: "name"',
    text: 'x'.repeat(300_000),
  })
  const all = unzipSync(await buffer(await post.inbox.export()))
  expect(Object.keys(all)).toHaveLength(2)
  for (const name of Object.keys(all)) expect(name).toMatch(/^em_[0-9a-z]{22}(-[A-Za-z0-9-]+)?\.eml$/)
  const one = Object.entries(unzipSync(await buffer(await post.inbox.export(`id:${id}`))))
  expect(one).toHaveLength(1)
  expect(one[0]?.[0]).toContain(id)
  expect(Buffer.from(one[0]?.[1] ?? [])).toEqual(fixture)
  expect(Object.keys(unzipSync(await buffer(await post.inbox.export('nothing'))))).toEqual([])
  expect(exportFileName({ id: 'em_1', subject: '../../Évil: "name"' })).toBe('em_1-E-vil-name.eml')
  await expect(post.inbox.export('is:blue')).rejects.toMatchObject({ code: 'invalid_query' })
})

test('API sends take tags from plus-addresses', async () => {
  const post = await start()
  await post.emails.send({ from: 'a@acme.test', to: 'ada+trial@x.test', subject: 's', text: 't' })
  expect((await post.inbox.waitFor({ tag: 'trial' })).tags).toEqual(['trial'])
})

import { expect, it } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { start } from '../support/instance.ts'
import { goodMail } from '../support/mail.ts'

it('opens accounts on a server that listens, and works in each separately', async () => {
  const post = await start({ requireKey: true })
  const { url } = await post.listen()
  const client = createClient({ url, apiKey: post.apiKey })
  const made = await client.accounts.create({ name: 'worker-1', ttl_ms: 60_000 })
  const unnamed = await client.accounts.create()
  expect(made.smtp).toEqual({ ...post.smtp, username: 'worker-1', password: expect.any(String) })
  const own = client.account(made)
  const other = client.account(unnamed)
  const { id } = await own.emails.send({ ...goodMail, subject: 'mine', text: 'x' })
  await post.account('worker-1').inbox.waitFor({ subject: 'mine' })
  expect((await own.emails.list()).items).toMatchObject([{ id }])
  expect((await other.emails.list()).items).toEqual([])
  await expect(other.emails.get(id)).rejects.toMatchObject({ code: 'not_found' })
  expect(await client.accounts.list()).toEqual(await post.accounts.list())
  expect(await own.accounts.list()).toMatchObject([{ name: 'worker-1' }])
  expect(await client.accounts.get('worker-1')).toMatchObject({ counts: { emails: 1, unread: 1 } })
  expect(await client.accounts.update('worker-1', { max_emails: 9 })).toMatchObject({ max_emails: 9 })
  const { smtp } = await client.accounts.renewPassword('worker-1')
  expect(smtp).toEqual({ ...made.smtp, password: expect.any(String) })
  expect(smtp.password).not.toBe(made.smtp.password)
  await expect(own.accounts.remove('worker-1')).rejects.toMatchObject({ code: 'insufficient_scope' })
  await expect(client.accounts.create({ name: 'worker-1' })).rejects.toMatchObject({ code: 'name_taken' })
  await expect(client.accounts.update('worker-1', null as never)).rejects.toMatchObject({
    code: 'validation_error',
  })
  expect(await own.inbox.updateTag('Invoice', { color: 'amber' })).toEqual({
    tag: 'invoice',
    count: 0,
    color: 'amber',
  })
  expect(await own.inbox.tags()).toEqual(await post.account('worker-1').inbox.tags())
  expect([await client.inbox.tags(), await other.inbox.tags()]).toEqual([[], []])
  await own.inbox.updateTag('invoice', { color: null })
  expect(await own.inbox.tags()).toEqual([])
  for (const wrong of [{ color: 'orange' }, {}, null, 'red'])
    await expect(own.inbox.updateTag('invoice', wrong as never)).rejects.toMatchObject({
      code: 'validation_error',
      status: 422,
    })
  for (const wrong of [undefined, 'worker-1', {}])
    expect(() => client.account(wrong as never)).toThrow('apiKey must be a key')
  expect(await client.accounts.remove('worker-1')).toBeUndefined()
  await expect(client.accounts.get('worker-1')).rejects.toMatchObject({ code: 'not_found', status: 404 })
  await expect(own.emails.list()).rejects.toMatchObject({ status: 401 })
})

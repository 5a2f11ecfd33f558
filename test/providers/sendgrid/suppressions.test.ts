import { expect, test } from 'vitest'
import { start } from '../../support/instance.ts'
import { mail, sendgridCaller } from './_caller.ts'

interface Entry {
  created: number
  email: string
}

test('lists bounces with their replies, complaints and unsubscribes, and removes them', async () => {
  const post = await start({ suppress: 'all' })
  const call = sendgridCaller(post)
  const emails = async (path: string): Promise<string[]> => {
    const { body } = await call<Entry[]>('GET', path)
    return body.map(({ email }) => email)
  }
  await post.rules.set([{ match: 'ada@example.com', action: 'reject' }])
  await call('POST', '/mail/send', mail)
  await expect.poll(() => emails('/suppression/bounces')).toEqual(['ada@example.com'])
  const [bounce] = (await call<Entry[]>('GET', '/suppression/bounces/ada@example.com')).body
  expect(bounce).toMatchObject({
    email: 'ada@example.com',
    reason: expect.stringMatching(/^550 5\.1\.1/) as string,
    status: '5.1.1',
  })
  expect(Math.abs((bounce?.created ?? 0) - Date.now() / 1000)).toBeLessThan(60)
  await post.suppressions.add({ address: 'bob@example.com', reason: 'complaint' })
  for (const name of ['c', 'd', 'e'])
    await post.suppressions.add({ address: `${name}@x.test`, reason: 'bounce' })
  const recipient_emails = ['f@x.test', 'g@x.test']
  const added = await call('POST', '/asm/suppressions/global', { recipient_emails })
  expect(added).toMatchObject({ status: 201, body: { recipient_emails } })
  expect(await emails('/suppression/spam_reports')).toEqual(['bob@example.com'])
  expect(await emails('/suppression/unsubscribes')).toEqual(recipient_emails)
  expect(await emails('/suppression/bounces?limit=2&offset=1')).toEqual(['c@x.test', 'd@x.test'])
  expect(await emails('/suppression/bounces?email=EXAMPLE')).toEqual(['ada@example.com'])
  expect(await emails('/suppression/bounces?end_time=1')).toEqual([])
  expect(await emails('/suppression/bounces/bob@example.com')).toEqual([])
  const global = '/asm/suppressions/global'
  expect((await call('GET', `${global}/f@x.test`)).body).toEqual({ recipient_email: 'f@x.test' })
  expect((await call('GET', `${global}/c@x.test`)).body).toEqual({})
  expect((await call('DELETE', '/suppression/bounces/bob@example.com')).status).toBe(404)
  expect((await call('DELETE', '/suppression/bounces/c@x.test')).status).toBe(204)
  const some = { emails: ['d@x.test', 'none@x.test'] }
  expect((await call('DELETE', '/suppression/bounces', some)).status).toBe(404)
  expect(await emails('/suppression/bounces/d@x.test')).toEqual(['d@x.test'])
  expect((await call('DELETE', '/suppression/bounces', { emails: ['d@x.test'] })).status).toBe(204)
  expect((await call('DELETE', '/suppression/bounces', {})).status).toBe(400)
  expect((await call('DELETE', '/suppression/bounces', { delete_all: true })).status).toBe(204)
  expect(await emails('/suppression/bounces')).toEqual([])
  expect((await call('DELETE', `${global}/f@x.test`)).status).toBe(204)
  const wrong = await call('POST', global, { recipient_emails: ['h@x.test', 'nobody'] })
  expect(wrong).toMatchObject({ status: 400, body: { errors: [{ field: 'recipient_emails.1' }] } })
  expect((await post.suppressions.list()).items.map(({ address }) => address)).toEqual([
    'bob@example.com',
    'g@x.test',
  ])
})

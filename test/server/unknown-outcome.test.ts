import { expect, it } from 'vitest'
import { open, refusalOf, type EmailList } from '../decisions/helpers.ts'
import { temporaryFolder } from '../support/folder.ts'
import { hurtDisk } from './_disk.ts'

const mail = { from: 'hi@acme.test', to: 'ada@example.com', text: 'Hello' }

it('reports over HTTP and SMTP that an outcome is unknown, and accepts mail again when the disk works', async () => {
  const dir = temporaryFolder()
  const disk = hurtDisk(dir)
  const face = await open({ dir, durability: 'disk' })
  await face.settled(await face.send({ subject: 'before' }))
  disk.fails = true
  const sent = await face.call('POST', '/v1/emails', { body: { ...mail, subject: 'unknown' } })
  const refused = await refusalOf(sent)
  expect(refused).toMatchObject({ status: 503, name: 'store_unknown' })
  expect(refused.message).toMatch(/it is not known whether this was stored: the next start may find it/)
  expect(sent.headers.get('retry-after')).toBeNull()
  // Later commits are known not to be stored.
  const behind = await refusalOf(
    await face.call('POST', '/v1/emails', { body: { ...mail, subject: 'behind' } }),
  )
  expect(behind).toMatchObject({ name: 'store_read_only' })
  const health = await face.call('GET', '/dev/health')
  expect(health.status).toBe(503)
  expect(await health.json()).toMatchObject({
    status: 'refusing',
    warnings: [expect.stringMatching(/^New mail is refused\. A write to .* failed and could not be cut off/)],
  })

  disk.fails = false
  await face.settled(await face.send({ subject: 'between' }))
  expect(await face.get('/dev/health')).toMatchObject({ status: 'ok', warnings: [] })
  disk.fails = true
  await expect(face.submit({ ...mail, subject: 'unknown' })).rejects.toMatchObject({
    responseCode: 451,
    response: '451 4.3.0 It is not known whether the message was stored, try again',
  })
  await expect(face.submit({ ...mail, subject: 'behind' })).rejects.toMatchObject({
    responseCode: 451,
    response: '451 4.3.0 The message could not be stored, try again',
  })

  disk.fails = false
  await face.submit({ ...mail, subject: 'after' })
  const subjects = async (of: typeof face): Promise<string[]> =>
    (await of.get<EmailList>('/v1/emails')).emails.map(({ subject }) => subject)
  expect(await subjects(face)).toEqual(['after', 'between', 'before'])
  await face.post.close()
  expect(await subjects(await open({ dir }))).toEqual(['after', 'between', 'before'])
})

import { expect, it, onTestFinished } from 'vitest'
import { nodeFiles } from '../../src/core/files.ts'
import { open, refusalOf, type EmailList } from '../decisions/helpers.ts'
import { systemError } from '../store/_setup.ts'
import { temporaryFolder } from '../support/folder.ts'

/** Lets the log of a folder fail while `broken` is set: each sync, and each cut that would undo a write. */
function breakableLog(dir: string): { broken: boolean } {
  const state = { broken: false }
  const { open: openFile, sync, truncate } = nodeFiles
  const logs = new Set<number>()
  const assertWorks = (fd: number): void => {
    if (state.broken && logs.has(fd)) throw systemError('EIO')
  }
  Object.assign(nodeFiles, {
    async open(path: string, flags: string) {
      const fd = await openFile(path, flags)
      if (path.startsWith(dir) && path.endsWith('.log')) logs.add(fd)
      else logs.delete(fd)
      return fd
    },
    async sync(fd: number) {
      assertWorks(fd)
      await sync(fd)
    },
    async truncate(fd: number, length: number) {
      assertWorks(fd)
      await truncate(fd, length)
    },
  })
  onTestFinished(() => void Object.assign(nodeFiles, { open: openFile, sync, truncate }))
  return state
}

const mail = { from: 'hi@acme.test', to: 'ada@example.com', text: 'Hello' }

it('reports over HTTP and SMTP that an outcome is unknown, and accepts mail again when the disk works', async () => {
  const dir = temporaryFolder()
  const log = breakableLog(dir)
  const face = await open({ dir, durability: 'disk' })
  await face.settled(await face.send({ subject: 'before' }))
  log.broken = true
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

  log.broken = false
  await face.settled(await face.send({ subject: 'between' }))
  expect(await face.get('/dev/health')).toMatchObject({ status: 'ok', warnings: [] })
  log.broken = true
  await expect(face.submit({ ...mail, subject: 'unknown' })).rejects.toMatchObject({
    responseCode: 451,
    response: '451 4.3.0 It is not known whether the message was stored, try again',
  })
  await expect(face.submit({ ...mail, subject: 'behind' })).rejects.toMatchObject({
    responseCode: 451,
    response: '451 4.3.0 The message could not be stored, try again',
  })

  log.broken = false
  await face.submit({ ...mail, subject: 'after' })
  const subjects = async (of: typeof face): Promise<string[]> =>
    (await of.get<EmailList>('/v1/emails')).emails.map(({ subject }) => subject)
  expect(await subjects(face)).toEqual(['after', 'between', 'before'])
  await face.post.close()
  expect(await subjects(await open({ dir }))).toEqual(['after', 'between', 'before'])
})

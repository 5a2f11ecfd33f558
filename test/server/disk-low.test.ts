import { expect, it } from 'vitest'
import { open } from '../decisions/helpers.ts'
import { temporaryFolder } from '../support/folder.ts'
import { hurtDisk } from './_disk.ts'

const mail = { from: 'hi@acme.test', to: 'ada@example.com', subject: 'new', text: 'Hello' }

it('the health says that the disk is low while mail is accepted, and refuses from the first mail that does not fit', async () => {
  const dir = temporaryFolder()
  const disk = hurtDisk(dir)
  const { call, submit, settled, post } = await open({ dir })
  const health = async (): Promise<object> => {
    const answer = await call('GET', '/dev/health')
    const { status, warnings } = (await answer.json()) as { status: string; warnings: string[] }
    return { code: answer.status, status, warnings }
  }
  expect(await health()).toEqual({ code: 200, status: 'ok', warnings: [] })

  disk.freeBytes = 3 * 1024 * 1024
  const text = `The disk of ${dir} is almost full: 3072 KB are free. Mail that does not fit is refused. Free some space or remove mail.`
  await expect.poll(health).toEqual({ code: 200, status: 'disk_low', warnings: [text] })
  await settled(await submit(mail))
  // What is stored later about a mail would need the reserve.
  await post.inbox.list({ query: 'Hello' })

  disk.isFull = true
  disk.freeBytes = 12 * 1024
  await expect(submit(mail)).rejects.toMatchObject({ responseCode: 452 })
  expect(await health()).toMatchObject({
    code: 503,
    status: 'refusing',
    warnings: [expect.stringMatching(/^New mail is refused\. The disk of .* is full[:;] /)],
  })
  await post.close()
})

import { expect, it } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { collections } from '../../src/instance/collections.ts'
import { contentBlob, emailCollection } from '../../src/emails/email.ts'
import { createLocalpost } from '../../src/instance/create.ts'
import { openLogStore } from '../../src/store/disk/open.ts'
import { blobOf, insert } from '../../src/store/store.ts'
import { anEmail } from '../webhooks/_noun.ts'
import { temporaryFolder } from '../support/folder.ts'
import { freePort, startCommand } from './command.ts'

const id = 'em_00000000000000000000000000'

/** A folder of a killed process: a tracked mail is accepted, its message not written. */
async function leftFolder(): Promise<string> {
  const dir = temporaryFolder()
  const post = await createLocalpost({ dir })
  const domain = await post.domains.create({ name: 'acme.test' })
  await post.domains.verify(domain.id, { status: 'SUCCESS' })
  await post.domains.update(domain.id, { open_tracking_enabled: true, click_tracking_enabled: true })
  await post.close()
  const store = await openLogStore({ dir, collections, clock: systemClock, durability: 'process' })
  const now = Date.now()
  const content = { html: '<a href="https://shop.test/a">A</a>', text: '', to: 'ada@example.com', cc: '' }
  const email = { ...anEmail(id, ['ada@example.com'], now), domain_id: domain.id }
  await store.commit(
    [
      insert(emailCollection, {
        ...email,
        outbox: { due: now, attempts: 0, via: 'capture' },
        outbox_due: now,
      }),
    ],
    [blobOf(contentBlob(id), JSON.stringify(content))],
  )
  await store.close()
  return dir
}

it.each(['free', 'given'])(
  'Tracked mail of an earlier run has links that lead to the listener, at a %s port',
  async (kind) => {
    const dir = await leftFolder()
    const port = kind === 'given' ? await freePort() : 0
    const { url } = await startCommand([`--dir=${dir}`, `--port=${port}`])
    const html = async (): Promise<string> => (await fetch(`${url}/dev/inbox/${id}/html`)).text()
    await expect.poll(html, { timeout: 10_000 }).toContain('/t/c/')
    const link = /href="([^"]+)"/.exec(await html())?.[1] ?? ''
    expect(link).toContain(`${url}/t/c/`)
    const answer = await fetch(link, { redirect: 'manual' })
    expect([answer.status, answer.headers.get('location')]).toEqual([302, 'https://shop.test/a'])
  },
)

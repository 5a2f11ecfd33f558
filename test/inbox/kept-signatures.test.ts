import { createHash, createPrivateKey, sign } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Mail } from '../../src/index.ts'
import { longBytes } from '../../src/core/job-thread.ts'
import { processDkimKey } from '../../src/domains/dkim-keys.ts'
import { movableClock } from '../support/clock.ts'
import { start } from '../support/instance.ts'

const body = 'A line of a long mail.\r\n'.repeat(longBytes / 20)
const bodyHash = createHash('sha256').update(body).digest('base64')
const day = 24 * 60 * 60 * 1000

/** A mail whose readings are kept, because it is long. @param tags  Further tags of its signature. */
async function signedMail(tags: string): Promise<Buffer> {
  const from = 'From: bob@acme.test\r\n'
  const field = `DKIM-Signature: v=1; a=rsa-sha256; d=acme.test; s=localpost; h=from; bh=${bodyHash};${tags} b=`
  const key = createPrivateKey((await processDkimKey('localpost')).private_key)
  const signature = sign('sha256', Buffer.from(from + field), key).toString('base64')
  return Buffer.from(`${field}${signature}\r\n${from}To: ada@example.com\r\nSubject: long\r\n\r\n${body}`)
}

test('the detail of a long mail follows the time, the key of its domain, and the removal of the mail', async () => {
  const clock = movableClock()
  const post = await start({ clock })
  // The first send from a domain makes its key.
  await post.emails.send({ from: 'a@acme.test', to: 'b@x.test', subject: 's', text: 't' })
  const expires = Math.floor((clock.now() + day) / 1000)
  const ids: Record<string, string> = {}
  for (const [kind, tags] of Object.entries({
    lasting: '',
    expiring: ` x=${expires};`,
    // As other readers decode it, it has no such tag.
    disguised: ` z==?utf-8?q?;x=35${'0'.repeat(8)};?=;`,
  }))
    ids[kind] = (await post.inbox.import(await signedMail(tags))).id

  const read = (kind: string): Promise<Response> =>
    post.fetch(new Request(`http://localhost/dev/inbox/${ids[kind]}`))
  async function results(): Promise<Record<string, string>> {
    const found: Record<string, string> = {}
    for (const kind of Object.keys(ids)) {
      const { dkim } = (await (await read(kind)).json()) as Mail
      found[kind] = dkim?.reason ?? dkim?.result ?? ''
    }
    return found
  }
  const expired = expect.stringContaining('expired') as string
  const anotherKey = expect.stringContaining('another key') as string
  const intact = { lasting: 'pass', expiring: 'pass', disguised: 'pass' }
  expect(await results()).toEqual(intact)
  expect(await results()).toEqual(intact)

  clock.advance(2 * day)
  expect(await results()).toEqual({ ...intact, expiring: expired })
  // After the year 2080.
  clock.advance(60 * 365 * day)
  expect(await results()).toEqual({ lasting: 'pass', expiring: expired, disguised: expired })

  await post.domains.create({ name: 'acme.test' })
  expect(await results()).toEqual({ lasting: anotherKey, expiring: expired, disguised: expired })

  for (const kind of Object.keys(ids)) {
    await post.inbox.remove(ids[kind] ?? '')
    expect((await read(kind)).status).toBe(404)
  }
})

import { rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Notice } from '../../src/options/notice.ts'
import type { RefusalReason } from '../../src/store/disk/medium.ts'
import { type Face, open, refusalOf } from '../decisions/helpers.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Disk, hurtDisk } from './_disk.ts'

interface Case {
  begin(disk: Disk, dir: string, face: Face): unknown
  /** Ends the state while the instance runs; null if only a restart ends it. */
  end: ((disk: Disk) => void) | null
  /** Of `GET /dev/health`, and of the message of a refused send. */
  says: RegExp
  refusal: { status: number; name: string }
  smtp: { responseCode: number; response: string }
  /** The notice at the beginning of the state. */
  notice: RegExp
  /** And when it ends while the instance runs. */
  endNotice: RegExp | null
  /** Whether the outcome of a webhook delivery can still be stored. */
  storesOutcomes: boolean
}

/** One for each reason: a new reason without a case does not compile. */
const cases: Readonly<Record<RefusalReason, Case>> = {
  lost_lock: {
    begin: (_, dir) => rmSync(join(dir, 'lock')),
    end: null,
    says: /The lock file .*lock was removed, so another process may use the folder\. This process writes nothing more into it\./,
    refusal: { status: 503, name: 'store_read_only' },
    smtp: { responseCode: 451, response: '451 4.3.0 The message could not be stored, try again' },
    endNotice: null,
    notice: /^The lock file .* was removed/,
    storesOutcomes: false,
  },
  failed_write: {
    begin: (disk) => void (disk.fails = true),
    end: (disk) => void (disk.fails = false),
    says: /A write to .*\.log failed and could not be cut off \(.*EIO.*\)\. Nothing more can be written until this succeeds; each new commit tries it again\./,
    refusal: { status: 503, name: 'store_read_only' },
    smtp: { responseCode: 451, response: '451 4.3.0 The message could not be stored, try again' },
    endNotice: /\.log can be written again\.$/,
    notice: /^A write to .*\.log failed and could not be cut off/,
    storesOutcomes: false,
  },
  full_disk: {
    async begin(disk, _, { call, send }) {
      const id = await send({ subject: 'to remove' })
      disk.isFull = true
      // Removing needs the reserve.
      expect((await call('DELETE', `/dev/inbox/${id}`)).ok).toBe(true)
    },
    end: (disk) => void (disk.isFull = false),
    says: /The disk of .* is full; the remaining space is reserved for removing mail\. Free some space or remove mail, then send it again\. Nothing was stored\./,
    refusal: { status: 507, name: 'store_full' },
    smtp: { responseCode: 452, response: '452 4.3.1 The disk is full, nothing was stored' },
    endNotice: /^The disk of .* has room again\. New mail is accepted\.$/,
    notice: /^The disk of .* is full\. New mail is refused until there is room; removing mail still works\./,
    storesOutcomes: true,
  },
}

const mail = { from: 'hi@acme.test', to: 'ada@example.com', subject: 'new', text: 'Hello' }

describe.each(Object.entries<Case>(cases))('while nothing is stored for the reason %s', (reason, given) => {
  const { begin, end, says, refusal, smtp, notice, endNotice, storesOutcomes } = given
  const unready = reason === 'full_disk' ? 'the disk is full' : 'the store cannot be written'

  it('the health, the replies and the notices say so, and it ends as it should', async () => {
    const dir = temporaryFolder()
    const disk = hurtDisk(dir)
    const notices: Notice[] = []
    const face = await open({ dir, durability: 'disk', onNotice: (one) => notices.push(one) })
    const hook = await openHook()
    await face.settled(await face.send({ subject: 'before' }))
    await face.create('/dev/webhooks', { url: hook.url, events: ['email.delivered'] })
    await face.send({ subject: 'announced' })
    await hook.asked
    expect(await face.get('/dev/health')).toMatchObject({ status: 'ok', warnings: [] })

    await begin(disk, dir, face)
    // The send that meets the state may have another answer, such as store_unknown.
    const met: unknown = await (await face.call('POST', '/v1/emails', { body: mail })).json()
    const sent = await refusalOf(await face.call('POST', '/v1/emails', { body: mail }))
    expect(sent).toMatchObject(refusal)
    expect(sent.message).toMatch(says)
    await expect(face.submit(mail)).rejects.toMatchObject(smtp)
    const health = await face.call('GET', '/dev/health')
    expect(health.status).toBe(503)
    const ready = await face.call('GET', '/readyz')
    expect([ready.status, await ready.json()]).toEqual([
      503,
      { status: 'not_ready', reasons: [`New mail cannot be stored: ${unready}. GET /dev/health says more.`] },
    ])
    expect((await face.call('GET', '/livez')).status).toBe(200)
    expect(await health.json()).toMatchObject({
      status: 'refusing',
      warnings: [expect.stringMatching(new RegExp(`^New mail is refused\\. ${says.source}`))],
    })
    const said = (): string[] => notices.map(({ message }) => message)
    await expect.poll(said).toContainEqual(expect.stringMatching(notice))
    // What is stored is still served.
    expect(await subjectsOf(face)).toEqual(expect.arrayContaining(['announced', 'before']))

    const ofHook = (): Notice[] => notices.filter(({ message }) => /webhook/i.test(message))
    hook.answer()
    if (!storesOutcomes)
      await expect.poll(ofHook).toContainEqual(
        expect.objectContaining({
          level: 'warning',
          message: 'The outcome of a webhook delivery could not be stored.',
          error: expect.objectContaining({ message: expect.stringMatching(says) as unknown }) as unknown,
        }),
      )
    else expect(ofHook()).toEqual([])

    if (end) {
      end(disk)
      await expect
        .poll(async () => (await face.call('POST', '/v1/emails', { body: mail })).status, { timeout: 5000 })
        .toBe(200)
      expect(await face.get('/dev/health')).toMatchObject({ status: 'ok', warnings: [] })
      expect(await face.get('/readyz')).toEqual({ status: 'ready', reasons: [] })
    }
    if (endNotice) expect(said()).toContainEqual(expect.stringMatching(endNotice))
    expect(said().filter((text) => notice.test(text))).toHaveLength(1)
    const stored = await subjectsOf(face)
    await face.post.close()
    const isUnknown = expect.objectContaining({ name: 'store_unknown' }).asymmetricMatch(met)
    const possible = isUnknown ? [stored, [mail.subject, ...stored]] : [stored]
    expect(possible).toContainEqual(await subjectsOf(await open({ dir })))
  })
})

async function subjectsOf(face: Face): Promise<string[]> {
  const { emails } = await face.get<{ emails: { subject: string }[] }>('/v1/emails')
  return emails.map(({ subject }) => subject)
}

/** A server of webhooks that keeps the first request open until `answer` is called. */
async function openHook(): Promise<{ url: string; asked: Promise<void>; answer(): void }> {
  let answer = (): void => {}
  let isAsked = (): void => {}
  const asked = new Promise<void>((resolve) => (isAsked = resolve))
  const answered = new Promise<void>((resolve) => (answer = resolve))
  const server = createServer((_, response) => {
    isAsked()
    void answered.then(() => response.end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`, asked, answer }
}

import { createPrivateKey } from 'node:crypto'
import { SMTPServer } from 'smtp-server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { processDkimKey } from '../../src/domains/dkim-keys.ts'
import { composeSigned } from '../../src/mime/dkim/sign.ts'
import { open, statusesOf } from '../decisions/helpers.ts'
import { lastingPlace, notOn } from '../support/adapters.ts'
import { copyOf, eventsOf, expectUnknown, sendTracked, track, tracked, visit } from './_mail.ts'

describe('the tracking tokens in mail', () => {
  it('are valid after a restart, also those of copies', async () => {
    const place = lastingPlace()
    const before = await open(place)
    await track(before)
    const path = `data:application/octet-stream;base64,${Buffer.alloc(400_000, 7).toString('base64')}`
    const to = 'ada@example.com, bob@example.com'
    const id = await sendTracked(before, { to, attachments: [{ filename: 'a', path }] })
    const bob = await copyOf(before, id, 'bob@example.com')
    await before.post.close()

    const after = await open(place)
    expect((await copyOf(after, id, 'bob@example.com')).raw.equals(bob.raw)).toBe(true)
    expect((await visit(after, bob.first)).status).toBe(302)
    expect(statusesOf(await after.detail(id))['bob@example.com']).toEqual(['sent', 'delivered', 'clicked'])
  })

  it('are valid after a reset that kept the mail, and not after one that did not', async () => {
    const face = await open()
    await track(face)
    const id = await sendTracked(face)
    const { first } = await copyOf(face, id)
    await face.post.reset({ keep: ['emails'] })
    expect((await visit(face, first)).status).toBe(302)
    await face.post.reset()
    await expectUnknown(await visit(face, first))
  })

  it('depend on the settings at the time of writing', async () => {
    const face = await open()
    const { id: domainId } = await track(face)
    const id = await sendTracked(face)
    const { first } = await copyOf(face, id)
    await face.post.domains.update(domainId, { click_tracking_enabled: false, open_tracking_enabled: false })
    expect((await visit(face, first)).status).toBe(302)
    expect((await copyOf(face, id)).first).toBe(first)
    expect((await copyOf(face, await sendTracked(face))).links[0]).toContain('shop.test')
    expect((await eventsOf(face, id)).at(-1)?.status).toBe('clicked')
  })
})

describe('a relay', () => {
  it('gets each recipient’s own copy in a transaction of its own, and only pending recipients are retried', async () => {
    const got: { to: string[]; raw: string }[] = []
    let refusals = 0
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      logger: false,
      onRcptTo({ address }, _session, done) {
        if (address.startsWith('busy') && refusals++ === 0)
          done(Object.assign(new Error('Busy'), { responseCode: 451 }))
        else if (address.startsWith('no')) done(Object.assign(new Error('No'), { responseCode: 550 }))
        else done()
      },
      onData(stream, session, done) {
        const pieces: Buffer[] = []
        stream.on('data', (piece: Buffer) => pieces.push(piece))
        stream.on('end', () => {
          const to = session.envelope.rcptTo.map(({ address }) => address)
          got.push({ to, raw: Buffer.concat(pieces).toString() })
          done()
        })
      },
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => new Promise<void>((resolve) => server.close(resolve)))
    const { port } = server.server.address() as { port: number }
    const face = await open({ relay: `smtp://127.0.0.1:${port}`, relayAll: true })
    await track(face)
    const to = ['ada@x.test', 'nobody@x.test', 'busy@x.test', 'success@simulator.localpost']
    const id = await sendTracked(face, { to })
    expect(statusesOf(await face.detail(id))).toEqual({
      'ada@x.test': ['sent', 'delivered'],
      'nobody@x.test': ['sent', 'bounced'],
      'busy@x.test': ['sent', 'delivered'],
      'success@simulator.localpost': ['sent', 'delivered'],
    })
    expect(got.map((message) => message.to)).toEqual([['ada@x.test'], ['busy@x.test']])
    for (const { to, raw } of got) {
      const copy = await copyOf(face, id, to[0])
      expect(raw.trimEnd()).toBe(copy.raw.toString().trimEnd())
    }
  })
})

const ofProcess = notOn(
  'PostgreSQL',
  'it signs with the key of the process, and the instances of a database have their own',
)

describe('mail of a domain without tracking', () => {
  it('is byte for byte the result of composing and signing', ofProcess, async () => {
    const face = await open()
    const { from, to, html } = tracked
    const id = await sendTracked(face, { text: undefined })
    const { domain_id, email_sent_timestamp } = await face.detail(id)
    const { name } = await face.post.domains.get(domain_id)
    // All domains that are not registered in an instance in memory are signed with the key of the process.
    const key = createPrivateKey((await processDkimKey('localpost')).private_key)
    const subject = 'Hello'
    const date = new Date(email_sent_timestamp)
    const message_id = `<${id}@acme.test>`
    const expected = await composeSigned(
      { from, to, subject, html, text: '', message_id, date },
      { domain: name, selector: 'localpost', key },
    )
    expect((await copyOf(face, id)).raw.equals(Buffer.concat(expected.parts))).toBe(true)
  })
})

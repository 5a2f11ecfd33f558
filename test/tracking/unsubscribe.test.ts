import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { notFound } from '../../src/store/repository.ts'
import type { App } from '../../src/server/app.ts'
import { openMemoryStore } from '../../src/store/memory/open.ts'
import { insert } from '../../src/store/store.ts'
import { trackingSecretCollection } from '../../src/tracking/secret.ts'
import { createTracking, type Subscription, type Tracking } from '../../src/tracking/tracking.ts'
import { hollowApp } from '../server/validate-response.ts'
import { expectUnknown } from './_mail.ts'
import { testClock } from '../support/clock.ts'

let tracking: Tracking
let gone: [audience: string, contact: string, broadcast: string][]
let app: App

beforeEach(async () => {
  const store = await openMemoryStore({ collections: [trackingSecretCollection] })
  const value = randomBytes(32).toString('base64url')
  await store.commit([insert(trackingSecretCollection, { id: 'secret', value })])
  gone = []
  tracking = await createTracking({
    store,
    clock: testClock(),
    baseUrl: () => 'http://localpost',
    async onUnsubscribe({ audience_id, contact_id, broadcast_id }) {
      if (contact_id === 'con_removed') throw notFound('contact', contact_id)
      gone.push([audience_id, contact_id, broadcast_id])
    },
    onError: (error) => expect.unreachable(String(error)),
  })
  app = hollowApp({ tracking })
})

const subscriptionOf = (contact_id: string): Subscription => ({
  audience_id: 'aud_1',
  contact_id,
  broadcast_id: 'bc_1',
})

const ask = (url: string, init: RequestInit = {}): Promise<Response> => app.fetch(new Request(url, init))

describe('the address of List-Unsubscribe', () => {
  it('accepts the one-click POST of a mail provider', async () => {
    const url = tracking.unsubscribeUrl(subscriptionOf('con_1'))
    const response = await ask(url, {
      method: 'POST',
      body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
      headers: { origin: 'https://mail.test', 'sec-fetch-site': 'cross-site' },
    })
    expect([response.status, gone]).toEqual([200, [['aud_1', 'con_1', 'bc_1']]])
    const form = new FormData()
    form.set('List-Unsubscribe', 'One-Click')
    expect((await ask(url, { method: 'POST', body: form })).status).toBe(200)
    expect((await ask(url, { method: 'POST' })).status).toBe(200)
  })

  it('asks a person for confirmation, without a script, and changes nothing', async () => {
    const url = tracking.unsubscribeUrl(subscriptionOf('con_1'))
    const response = await ask(url)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    const page = await response.text()
    expect(page).toContain('<form method="post">')
    expect(page).not.toContain('<script')
    expect((await ask(url, { method: 'HEAD' })).status).toBe(200)
    expect(gone).toEqual([])
  })

  it('is unknown where it is forged, belongs to a single mail, or to a removed contact', async () => {
    const url = tracking.unsubscribeUrl(subscriptionOf('con_1'))
    const ofMail = tracking.copiesOf(
      { id: 'em_1' },
      {
        open_tracking_enabled: true,
        click_tracking_enabled: true,
      },
    )?.('<p>')(0)
    const token = /\/t\/o\/([^"]+)/.exec(ofMail ?? '')?.[1]
    for (const path of [`${url}x`, url.replace('/u/', '/c/'), `http://localpost/t/u/${token}`])
      for (const method of ['GET', 'POST'])
        if (!(path.includes('/c/') && method === 'POST')) await expectUnknown(await ask(path, { method }))
    const removed = tracking.unsubscribeUrl(subscriptionOf('con_removed'))
    await expectUnknown(await ask(removed, { method: 'POST' }))
    expect(gone).toEqual([])
  })
})

import { expect, test } from 'localpost/vitest'
import { onTestFinished, vi } from 'vitest'
import { startApp } from './app.js'

async function start(localpost, localpostUrl) {
  const app = await startApp({ apiKey: localpost.apiKey, baseUrl: `${localpostUrl}/resend` })
  onTestFinished(() => app.close())
  await app.subscribe()
  const invite = async (to) => (await fetch(app.url, { method: 'POST', body: JSON.stringify({ to }) })).status
  return { ...app, invite }
}

test('sends an invitation with a code', async ({ localpost, localpostUrl }) => {
  const app = await start(localpost, localpostUrl)
  expect(await app.invite('ada@example.com')).toBe(202)
  const mail = await localpost.inbox.waitFor({ to: 'ada@example.com' })
  expect(mail).toHaveCode('482913')
  expect(mail.metadata).toEqual({ kind: 'invitation' })
})

test('writes no more to an address that bounced', async ({ localpost, localpostUrl }) => {
  const app = await start(localpost, localpostUrl)
  expect(await app.invite('bounced@resend.dev')).toBe(202)
  await vi.waitFor(() => expect([...app.bounced]).toEqual(['bounced@resend.dev']), { timeout: 10_000 })
  expect(await app.invite('bounced@resend.dev')).toBe(409)
})

test('passes on that the provider is down', async ({ localpost, localpostUrl }) => {
  const app = await start(localpost, localpostUrl)
  await localpost.faults.set({ http: [{ path: '/resend/emails', status: 503, count: 1 }] })
  expect(await app.invite('ada@example.com')).toBe(503)
  expect(await app.invite('ada@example.com')).toBe(202)
})

test('takes no webhook that is not signed', async ({ localpost, localpostUrl }) => {
  const app = await start(localpost, localpostUrl)
  const body = JSON.stringify({ type: 'email.bounced', data: { to: ['ada@example.com'] } })
  expect((await fetch(`${app.url}/hooks`, { method: 'POST', body })).status).toBe(400)
  expect(app.bounced.size).toBe(0)
})

import { expect, test } from 'vitest'
import { openInProcess } from './_face.ts'

const page = { 'x-localpost-page': '1', 'sec-fetch-site': 'same-origin' }

test('requests of the page to /v1 are exempt from faults and limits, and are not logged', async () => {
  const face = await openInProcess({ rateLimit: { requests: 1, perMs: 60_000 } })
  await face.call('PUT', '/dev/faults', { body: { http: [{ path: '/v1/domains', status: 503, count: 1 }] } })
  for (let i = 0; i < 3; i++)
    expect((await face.call('GET', '/v1/domains', { headers: page })).status).toBe(200)
  expect(await (await face.call('GET', '/dev/requests')).json()).toMatchObject({ count: 0 })
  expect((await face.call('GET', '/v1/domains')).status).toBe(503)
  expect((await face.call('GET', '/v1/emails')).status).toBe(200)
  expect((await face.call('GET', '/v1/emails')).status).toBe(429)
})

test('a client that claims to be the page, without being a browser on it, counts as an app', async () => {
  const face = await openInProcess()
  await face.call('GET', '/v1/domains', { headers: { 'x-localpost-page': '1' } })
  await face.call('GET', '/v1/domains', { headers: { ...page, 'sec-fetch-site': 'cross-site' } })
  expect(await (await face.call('GET', '/dev/requests')).json()).toMatchObject({ count: 2 })
})

import { expect } from 'vitest'
import { extractLinks } from '../../src/reading/links.ts'
import type { Face } from '../decisions/helpers.ts'

/** Mail from this domain, two links and one that is not tracked. */
export const tracked = {
  from: 'Acme <hi@acme.test>',
  to: 'ada@example.com',
  html: '<body><a href="https://shop.test/a?x=1&amp;y=%20ü">One</a><a data-no-track href="https://shop.test/b">b</a></body>',
  text: 'See https://shop.test/a',
}

/** Turns tracking on for a domain, which mail may come from afterwards. */
export async function track(face: Face, settings = { open: true, click: true }, name = 'acme.test') {
  const { id } = await face.post.domains.create({ name })
  await face.post.domains.verify(id, { status: 'SUCCESS' })
  return face.post.domains.update(id, {
    open_tracking_enabled: settings.open,
    click_tracking_enabled: settings.click,
  })
}

/** The copy of one recipient, as its reader has it. */
export async function copyOf(face: Face, id: string, recipient?: string) {
  const query = recipient === undefined ? '' : `?recipient=${encodeURIComponent(recipient)}`
  const html = await (await face.call('GET', `/dev/inbox/${id}/html${query}`)).text()
  const raw = Buffer.from(await (await face.call('GET', `/dev/inbox/${id}/raw${query}`)).arrayBuffer())
  const links = extractLinks(html, '').map(({ href }) => href)
  const pixel = /<img src="([^"]+)" width="1"/.exec(html)?.[1] ?? null
  return { html, raw, links, pixel, first: links[0] ?? '' }
}

/** Sends tracked mail and waits for its delivery. */
export async function sendTracked(face: Face, over: Record<string, unknown> = {}): Promise<string> {
  const id = await face.send({ ...tracked, ...over })
  await face.settled(id)
  return id
}

/** All events of a recipient, with all their stored members. */
export async function eventsOf(face: Face, id: string, recipient = 'ada@example.com') {
  const mail = await face.mail(id)
  return mail.recipients.find((state) => state.recipient === recipient)?.events ?? []
}

/** Asks for an address of a mail: without following it, over the socket where the instance listens. */
export function visit(face: Face, url: string, init: RequestInit = {}): Promise<Response> {
  const request = new Request(url, { redirect: 'manual', ...init })
  return face.post.url === null ? face.post.fetch(request) : fetch(request)
}

export async function expectUnknown(response: Response): Promise<void> {
  expect([response.status, await response.json()]).toMatchObject([404, { name: 'not_found' }])
}

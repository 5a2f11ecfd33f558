import { describe, expect, it } from 'vitest'
import type { CreatedDomain } from '../../src/domains/types.ts'
import type { EmailListItem } from '../../src/emails/types.ts'
import { keysOf } from '../support/deps.ts'
import { open, pause, shared, statusesOf, type EmailList, type Face } from './helpers.ts'
import { serve } from './servers.ts'

const listItem = 'email_sent_timestamp id last_event recipient_statuses subject to type'.split(' ')
const detail = [...listItem, 'domain_id', 'from', 'html', 'template_id', 'text'].sort()
const event = ['recipient', 'status', 'timestamp']
const lastEvent: Record<string, string[]> = {
  sent: event,
  delivered: [...event, 'processing_time_millis', 'reporting_mta', 'smtp_response'].sort(),
  opened: event,
  clicked: [...event, 'ip', 'link', 'user_agent'].sort(),
  bounced: [...event, 'subtype', 'type'].sort(),
  delivery_delayed: event,
  complained: event,
  failed: event,
}
const hit = ['ip', 'status', 'timestamp', 'user_agent']

/** A send whose last event stays at a status. */
const reach: Record<string, (face: Face) => Promise<string>> = {
  sent: async (face) => face.send({ attachments: [{ filename: 'a', path: await serve(() => undefined) }] }),
  delivered: (face) => face.send({ to: 'success@simulator.localpost' }),
  opened: (face) => face.send({ to: 'opened@simulator.localpost' }),
  clicked: (face) =>
    face.send({ to: 'clicked@simulator.localpost', html: '<a href="https://acme.test/x">x</a>' }),
  bounced: (face) => face.send({ to: 'bounce@simulator.localpost' }),
  delivery_delayed: (face) => face.send({ to: 'delayed@simulator.localpost' }),
  complained: (face) => face.send({ to: 'complaint@simulator.localpost' }),
  failed: (face) =>
    face.send({ attachments: [{ filename: 'a', path: 'http://169.254.169.254/latest/meta-data' }] }),
}

// A deferral keeps its place as the last event while the next try is far away.
const reaching = shared({ retryDelaysMs: [60_000], attachments: { timeoutMs: 2000 } })

describe.each(Object.keys(reach))('an email whose last event is %s', (status) => {
  const reached = async (face: Face): Promise<string> => {
    const id = (await reach[status]?.(face)) ?? ''
    await face.settled(id, ({ last_event }) => last_event.status === status)
    return id
  }

  it('members.exact: list item, detail and everything in them have the members of 2.1 to 2.3 and no others', async () => {
    const face = reaching()
    const id = await reached(face)
    const item = await face.item(id)
    const email = await face.detail(id)
    expect(keysOf(item)).toEqual(listItem)
    expect(keysOf(email)).toEqual(detail)
    expect(keysOf(item.last_event)).toEqual(lastEvent[status])
    expect(email.last_event).toEqual(item.last_event)
    expect(item.recipient_statuses.map(keysOf)).toEqual([status === 'bounced' ? lastEvent['bounced'] : event])
    expect(email.recipient_statuses.map(keysOf)).toEqual([['events', 'recipient']])
    for (const entry of email.recipient_statuses[0]?.events ?? []) {
      const isHit = entry.status === 'opened' || entry.status === 'clicked'
      expect(keysOf(entry), entry.status).toEqual(isHit ? hit : ['status', 'timestamp'])
    }
    for (const { timestamp } of [item.last_event, ...item.recipient_statuses]) {
      expect(Number.isSafeInteger(timestamp)).toBe(true)
    }
  })
})

describe('domains, audiences, contacts', () => {
  const face = shared()
  const domainList = (
    'created created_by dns_records id is_warmed_up name public_key status verification_info ' +
    'verified_for_sending_status warmed_up_at'
  ).split(' ')
  const account = ['email', 'first_name', 'last_name', 'profile_picture']

  it('members.exact: a domain has those of 2.4 and 2.5: the list, the detail and the creation differ', async () => {
    const created = await face().create<CreatedDomain>('/v1/domains', { name: 'acme.test' })
    expect(keysOf(created)).toEqual(['dns_records', 'id', 'name', 'status'])
    const { domains } = await face().get<{ domains: Record<string, object>[] }>('/v1/domains')
    const one = await face().get<Record<string, object>>(`/v1/domains/${created.id}`)
    expect(keysOf(domains[0] ?? {})).toEqual(domainList)
    expect(keysOf(one)).toEqual([...domainList, 'click_tracking_enabled', 'open_tracking_enabled'].sort())
    expect(keysOf(domains[0]?.['created_by'] ?? {})).toEqual(account)
    expect(keysOf(one['created_by'] ?? {})).toEqual([...account, 'type'].sort())
    expect(one['created_by']).toMatchObject({ type: 'user' })
    const record = ['for', 'name', 'required', 'type', 'value']
    const mx = [...record, 'priority'].sort()
    expect(created.dns_records.map(keysOf)).toEqual([record, mx, record, record])
    for (const { dns_records } of [domains[0], one] as Record<string, object>[]) {
      expect(dns_records).toEqual(created.dns_records)
    }
  })

  it('members.exact: an audience has those of 2.6, a contact those of 2.7', async () => {
    const { id } = await face().create<{ id: string }>('/dev/audiences', { name: 'all' })
    await face().create(`/dev/audiences/${id}/contacts`, [{ email: 'ada@x.test' }, { email: 'b@x.test' }])
    const { audiences } = await face().get<{ audiences: Record<string, object>[] }>('/v1/audiences')
    const { contacts } = await face().get<{ contacts: object[] }>(`/v1/audiences/${id}/contacts`)
    const members = 'contact_count created created_by id name unsubscribers updated'.split(' ')
    expect(audiences.map(keysOf)).toEqual([members])
    expect(keysOf(audiences[0]?.['created_by'] ?? {})).toEqual(account)
    const contact = 'created email first_name id is_subscribed last_name updated'.split(' ')
    expect(contacts.map(keysOf)).toEqual([contact, contact])
  })
})

describe('addresses and events', () => {
  const face = shared()

  it('members.to: it has the bare addresses of To in the order given, and none of cc and bcc', async () => {
    const id = await face().send({
      to: 'Zoe <zoe@x.test>, "Lovelace, Ada" <ada@x.test>, bob@x.test',
      cc: 'Carl <carl@x.test>',
      bcc: 'dora@x.test',
    })
    const expected = ['zoe@x.test', 'ada@x.test', 'bob@x.test']
    expect((await face().detail(id)).to).toEqual(expected)
    expect((await face().item(id)).to).toEqual(expected)
  })

  it('members.from: it is as given, with white space folded', async () => {
    const given = '  "Acme,  Inc."\t <Hi@Acme.test>  '
    expect((await face().detail(await face().send({ from: given }))).from).toBe('"Acme, Inc." <Hi@Acme.test>')
    expect((await face().detail(await face().send({ from: 'hi@acme.test' }))).from).toBe('hi@acme.test')
  })

  it('members.recipient-statuses: the list shows each recipient’s latest event, and its kind of bounce', async () => {
    const to = ['success', 'opened', 'bounce', 'mailboxfull'].map((name) => `${name}@simulator.localpost`)
    const id = await face().send({ to: to.join(', ') })
    await face().settled(id)
    const { recipient_statuses } = await face().item(id)
    const timestamp = expect.any(Number)
    expect(recipient_statuses).toEqual([
      { recipient: to[0], status: 'delivered', timestamp },
      { recipient: to[1], status: 'opened', timestamp },
      { recipient: to[2], status: 'bounced', timestamp, type: 'Permanent', subtype: 'General' },
      { recipient: to[3], status: 'bounced', timestamp, type: 'Transient', subtype: 'MailboxFull' },
    ])
  })

  it('members.events: only hits have ip and user_agent; the link is in last_event only', async () => {
    const html = '<p><a href="https://acme.test/first">one</a></p>'
    const id = await face().send({ to: 'clicked@simulator.localpost', html })
    const email = await face().settled(id)
    const timestamp = expect.any(Number)
    const client = { ip: expect.any(String), user_agent: expect.any(String) }
    expect(email.recipient_statuses[0]?.events).toEqual([
      { status: 'sent', timestamp },
      { status: 'delivered', timestamp },
      { status: 'opened', timestamp, ...client },
      { status: 'clicked', timestamp, ...client },
    ])
    expect(email.last_event).toMatchObject({ status: 'clicked', link: 'https://acme.test/first' })
    const times = email.recipient_statuses[0]?.events.map((entry) => entry.timestamp) ?? []
    expect(times).toEqual([...times].sort((a, b) => a - b))
  })

  it('members.last-event: it is the newest over all recipients', async () => {
    const delayed = await open({ retryDelaysMs: [150] })
    const id = await delayed.send({ to: 'delayed@simulator.localpost, ada@x.test' })
    await delayed.settled(id, (email) => statusesOf(email)['ada@x.test']?.includes('delivered') === true)
    await pause(5)
    const email = await delayed.settled(id)
    expect(email.last_event).toMatchObject({ recipient: 'delayed@simulator.localpost', status: 'delivered' })
    const all = email.recipient_statuses.flatMap(({ events }) => events.map(({ timestamp }) => timestamp))
    expect(email.last_event.timestamp).toBe(Math.max(...all))
    const { emails } = await delayed.get<EmailList>('/v1/emails')
    expect((emails[0] as EmailListItem).last_event).toEqual(email.last_event)
  })
})

describe('the account', () => {
  const everywhere = async (face: Face): Promise<object[]> => {
    const { id } = await face.create<{ id: string }>('/v1/domains', { name: 'acme.test' })
    await face.create('/dev/audiences', { name: 'all' })
    const { domains } = await face.get<{ domains: { created_by: object }[] }>('/v1/domains')
    const { audiences } = await face.get<{ audiences: { created_by: object }[] }>('/v1/audiences')
    const { created_by } = await face.get<{ created_by: { type: string } }>(`/v1/domains/${id}`)
    const { type, ...rest } = created_by
    expect(type).toBe('user')
    return [...domains, ...audiences, { created_by: rest }].map((item) => item.created_by)
  }

  it('members.created-by: by default it is dev@localpost.test, without names, with a picture as a data: URL', async () => {
    for (const created_by of await everywhere(await open())) {
      expect(created_by).toEqual({
        email: 'dev@localpost.test',
        first_name: null,
        last_name: null,
        profile_picture: expect.stringMatching(/^data:image\//),
      })
    }
  })

  it('members.created-by: the option `account` sets it', async () => {
    const account = {
      email: 'ada@acme.test',
      first_name: 'Ada',
      last_name: 'Lovelace',
      profile_picture: 'https://acme.test/ada.png',
    }
    for (const created_by of await everywhere(await open({ account }))) expect(created_by).toEqual(account)
  })
})

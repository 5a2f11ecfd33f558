import { describe, expect, it } from 'vitest'
import { shared } from './helpers.ts'

const face = shared()
const invalid = { status: 422, name: 'validation_error' }
const listMembers = ['to', 'cc', 'bcc'] as const
const members = ['from', 'reply_to', ...listMembers] as const

const local = (octets: number): string => 'l'.repeat(octets)
/** A domain of the given number of octets: labels of 63, and one with the rest. */
function domain(octets: number): string {
  const labels: string[] = []
  // A rest of 64 cannot be one label, nor one label and a dot.
  for (let left = octets; left > 0; left -= (labels.at(-1)?.length ?? 0) + 1) {
    labels.push('d'.repeat(left === 64 ? 62 : Math.min(63, left)))
  }
  return labels.join('.')
}
const warnings = async (): Promise<string[]> => (await face().logged()).warnings

describe.each(members)('%s', (member) => {
  it('sending.addresses: one address is accepted with and without a display name', async () => {
    for (const address of ['ada@acme.test', 'Ada <ada@acme.test>', '"Lovelace, Ada" <ada@acme.test>']) {
      await face().send({ [member]: address })
    }
    for (const nothing of ['', 'ada', 'Ada <>', '@acme.test', 'ada@', 'a@b@acme.test', 'Team:;']) {
      expect(await face().refusal({ [member]: nothing }), nothing).toMatchObject({
        ...invalid,
        fields: [member],
      })
    }
  })

  it('sending.addresses: two addresses without a comma are refused, as one and as a list', async () => {
    const answer = await face().refusal({ [member]: 'ada@acme.test bob@acme.test' })
    expect(answer).toMatchObject({ ...invalid, fields: [member] })
  })

  it('sending.addresses: 64 octets are allowed before the @, 65 are not, counted in UTF-8', async () => {
    const accented = 'é'.repeat(32)
    await face().send({ [member]: `${local(64)}@acme.test` })
    await face().send({ [member]: `${accented}@acme.test` })
    for (const long of [local(65), `${accented}x`]) {
      const answer = await face().refusal({ [member]: `${long}@acme.test` })
      expect(answer).toMatchObject({ ...invalid, fields: [member] })
    }
  })

  it('sending.addresses: a domain has at most 255 octets (From: fewer, because it must be a sending domain)', async () => {
    const most = member === 'from' ? 253 : 255
    for (const octets of [most, 256]) expect(domain(octets)).toHaveLength(octets)
    await face().send({ [member]: `ada@${domain(most)}` })
    const answer = await face().refusal({ [member]: `ada@${domain(256)}` })
    expect(answer).toMatchObject({ ...invalid, fields: [member] })
  })

  it.each(['\r\n', '\n', '\r'])('sending.addresses: a line break (%j) is 422', async (lineBreak) => {
    for (const address of [
      `Ada${lineBreak} <ada@acme.test>`,
      `ada@acme.test${lineBreak}Bcc: eve@evil.test`,
      `${lineBreak}ada@acme.test`,
      `"Ada${lineBreak}" <ada@acme.test>`,
    ]) {
      const answer = await face().refusal({ [member]: address })
      expect(answer, JSON.stringify(address)).toMatchObject({ ...invalid, fields: [member] })
    }
  })
})

describe('internationalised domains', () => {
  const idn = 'bücher.test'
  const ascii = 'xn--bcher-kva.test'

  it('sending.addresses: they become A-labels in every address, in the envelope and in the message', async () => {
    const id = await face().send({
      from: `Acme <hi@${idn}>`,
      reply_to: `r@${idn}`,
      to: `Ada <a@${idn}>`,
      cc: `c@${idn}`,
      bcc: `b@${idn}`,
    })
    const email = await face().settled(id)
    expect(email.to).toEqual([`a@${ascii}`])
    const mail = await face().mail(id)
    expect(mail.envelope).toEqual({
      mail_from: `hi@${ascii}`,
      rcpt_to: [`a@${ascii}`, `c@${ascii}`, `b@${ascii}`],
    })
    const raw = await face().raw(id)
    for (const field of [
      `From: Acme <hi@${ascii}>`,
      `Reply-To: r@${ascii}`,
      `To: Ada <a@${ascii}>`,
      `Cc: c@${ascii}`,
    ]) {
      expect(raw).toContain(`\r\n${field}\r\n`)
    }
    const { name } = await face().get<{ name: string }>(`/v1/domains/${email.domain_id}`)
    expect(name).toBe(ascii)
  })
})

describe('other strings that become header fields', () => {
  it.each(['\r\n', '\n', '\r'])(
    'sending.addresses: a line break (%j) in the subject is 422',
    async (lineBreak) => {
      const answer = await face().refusal({ subject: `Hi${lineBreak}Bcc: eve@evil.test` })
      expect(answer).toMatchObject({ ...invalid, fields: ['subject'] })
      // Also where a variable inserts it.
      const variables = { name: `Ada${lineBreak}Bcc: eve@evil.test` }
      expect(await face().refusal({ subject: 'Hi {{name}}', variables })).toMatchObject(invalid)
      await face().send({ text: 'Hi {{name}}', variables })
      const template = await face().call('PUT', '/dev/templates/broken', {
        body: { subject: `a${lineBreak}b` },
      })
      expect(template.status).toBe(422)
    },
  )

  it.each(['\r\n', '\n', '\r'])(
    'sending.addresses: a line break (%j) in an attachment is 422',
    async (lineBreak) => {
      const good = { filename: 'a.txt', path: 'data:,a', content_type: 'text/plain' }
      for (const over of [
        { filename: `a${lineBreak}.txt` },
        { content_type: `text/plain${lineBreak}X-Evil: 1` },
        { content_type: `text/plain;${lineBreak} charset=utf-8` },
        { content_type: `text/plain${lineBreak};charset=utf-8` },
      ]) {
        const { status, fields } = await face().refusal({ attachments: [{ ...good, ...over }] })
        const field = `attachments[0].${Object.keys(over)[0]}`
        expect({ status, fields }, JSON.stringify(over)).toEqual({ status: 422, fields: [field] })
      }
    },
  )
})

describe('lists of addresses', () => {
  it.each(listMembers)(
    'sending.address-lists: in %s, a comma list and an array pass with a warning',
    async (member) => {
      const given = ['Ada <a@x.test>', '"Bee, Bob" <b@x.test>']
      const rcpt_to = member === 'to' ? ['a@x.test', 'b@x.test'] : ['ada@example.com', 'a@x.test', 'b@x.test']
      for (const value of [given.join(', '), given]) {
        const id = await face().send({ [member]: value })
        expect(await warnings()).toContainEqual(
          expect.stringMatching(new RegExp(`^${member} is an? (list|array)`)),
        )
        expect((await face().settled(id)).recipient_statuses.map(({ recipient }) => recipient)).toEqual(
          rcpt_to,
        )
      }
      await face().send({ [member]: given[1] })
      expect(await warnings()).not.toContainEqual(expect.stringMatching(/list|array/))
    },
  )

  it.each(['from', 'reply_to'] as const)(
    'sending.address-lists: %s takes one address only',
    async (member) => {
      for (const value of ['a@acme.test, b@acme.test', ['a@acme.test'], 'Team: a@acme.test, b@acme.test;']) {
        expect(await face().refusal({ [member]: value })).toMatchObject({ ...invalid, fields: [member] })
      }
    },
  )

  it('sending.address-lists: one wrong address makes the list wrong', async () => {
    for (const to of ['a@x.test, nobody, c@x.test', ['a@x.test', 'nobody'], ['a@x.test', '']]) {
      const { status, fields } = await face().refusal({ to })
      expect({ status, field: fields[0]?.slice(0, 2) }).toEqual({ status: 422, field: 'to' })
    }
  })
})

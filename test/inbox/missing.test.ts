import { connect } from 'node:net'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { Localpost, LocalpostOptions } from '../../src/index.ts'
import { missingCauseCodeSchema } from '../../src/inbox/missing-schema.ts'
import { start } from '../support/instance.ts'
import { submit } from '../support/submit.ts'

const to = 'ada@example.com'
const mail = { from: 'shop@acme.test', to, subject: 'Welcome', text: 'Hello' }

const refused = (sending: Promise<unknown>): Promise<unknown> =>
  sending.then(
    () => null,
    (error: unknown) => error,
  )

const post = (on: Localpost, body: object, key = on.apiKey): Promise<Response> =>
  on.fetch(
    new Request('http://localpost/v1/emails', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  )

interface Scenario {
  title: string
  /** The cause that comes first, and its reason. */
  cause: string
  reason: string | null
  options?: LocalpostOptions
  happens(on: Localpost): Promise<unknown>
}

const scenarios: readonly Scenario[] = [
  { title: 'nothing happened', cause: 'no_attempt', reason: null, happens: async () => {} },
  {
    title: 'the mail is there',
    cause: 'arrived',
    reason: null,
    happens: (on) => submit(on, mail),
  },
  {
    title: 'the address is suppressed',
    cause: 'suppressed',
    reason: null,
    async happens(on) {
      await on.suppressions.add({ address: to })
      const { id } = await on.emails.send(mail)
      await on.inbox.waitFor(`id:${id}`)
    },
  },
  {
    title: 'a rule bounces the mail',
    cause: 'rule',
    reason: null,
    async happens(on) {
      await on.rules.set([{ match: to, action: 'reject' }])
      await on.emails.send(mail)
      await on.inbox.waitFor({ to })
    },
  },
  {
    title: 'a server bounces the mail',
    cause: 'bounced',
    reason: null,
    options: { retryDelaysMs: [3_600_000] },
    async happens(on) {
      await on.rules.set([{ match: to, action: 'greylist', times: 2 }])
      const { id } = await on.emails.send(mail)
      await on.inbox.waitFor({ to })
      await on.emails.addEvent(id, {
        recipient: to,
        status: 'bounced',
        type: 'Permanent',
        subtype: 'General',
      })
    },
  },
  {
    title: 'a rule defers the mail',
    cause: 'pending',
    reason: null,
    options: { retryDelaysMs: [3_600_000] },
    async happens(on) {
      await on.rules.set([{ match: to, action: 'greylist', times: 2 }])
      await on.emails.send(mail)
      await on.inbox.waitFor({ to })
    },
  },
  {
    title: 'the mail is scheduled',
    cause: 'scheduled',
    reason: null,
    happens: (on) => on.sending.send({ ...mail, to: [to], send_at: Date.now() + 86_400_000 }),
  },
  {
    title: 'a submission is refused because of its recipient',
    cause: 'smtp_session',
    reason: 'recipient_refused',
    options: { rejectSubmissions: true },
    async happens(on) {
      await on.rules.set([{ match: to, action: 'reject' }])
      await refused(submit(on, mail))
    },
  },
  {
    title: 'a submission has no credentials',
    cause: 'smtp_session',
    reason: 'auth_required',
    options: { smtpAuth: 'required' },
    happens: (on) => refused(submit(on, mail)),
  },
  {
    title: 'a client sends HTTP to the SMTP port',
    cause: 'smtp_session',
    reason: 'http',
    async happens(on) {
      const socket = connect(on.smtp.port, on.smtp.host)
      socket.on('error', () => {})
      socket.end('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
      await once(socket.resume(), 'close')
    },
  },
  {
    title: 'a key is wrong',
    cause: 'request',
    reason: 'invalid_api_key',
    happens: (on) => post(on, mail, 'lp_other'),
  },
  {
    title: 'a request is not valid',
    cause: 'request',
    reason: 'validation_error',
    happens: (on) => post(on, { ...mail, subject: 7 }),
  },
  {
    title: 'a fault answers',
    cause: 'request',
    reason: 'closed',
    async happens(on) {
      await on.faults.set({ http: [{ path: '/v1/emails', disconnect: true }] })
      await refused(post(on, mail))
      await on.faults.clear()
    },
  },
  {
    title: 'a client sends SMTP to the HTTP port',
    cause: 'wrong_port',
    reason: null,
    async happens(on) {
      const { port } = await on.listen()
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {})
      socket.write('EHLO app\r\n')
      await once(socket.resume(), 'close')
    },
  },
  {
    title: 'mail is in another account',
    cause: 'other_account',
    reason: null,
    async happens(on) {
      await on.accounts.create({ name: 'team' })
      await on.account('team').emails.send(mail)
      await on.account('team').inbox.waitFor({ to })
    },
  },
  {
    title: 'the address has a typo',
    cause: 'similar_recipient',
    reason: null,
    happens: (on) => submit(on, { ...mail, to: 'ada@exmaple.com' }),
  },
  {
    title: 'mail came for others',
    cause: 'other_recipient',
    reason: null,
    happens: (on) => submit(on, { ...mail, to: 'grace@other.test' }),
  },
  {
    title: 'the limit of kept mail is reached',
    cause: 'retention',
    reason: null,
    options: { maxEmails: 1 },
    async happens(on) {
      await on.suppressions.list()
      await submit(on, { ...mail, to: 'canada@example.com' })
    },
  },
]

describe('why there is no mail', () => {
  it.each(scenarios)('says first that $title', async ({ cause, reason, options, happens }) => {
    const on = await start(options)
    await happens(on)
    const since = new Date(Date.now() - 60_000)
    const { causes, ...asked } = await on.inbox.explainMissing({ to, since })
    expect(asked).toMatchObject({ to })
    if (cause === 'retention') expect(causes.map((one) => one.cause)).toContain(cause)
    else expect(causes[0]).toMatchObject({ cause, reason })
    for (const { message, remedy, evidence, count } of causes) {
      expect(message).toMatch(/^[A-Z].*[.…]$/s)
      expect(remedy).toMatch(/^[A-Z].*[.…]$/s)
      expect(evidence.length).toBe(Math.min(count, 5))
    }
    const answer = await on.fetch(
      new Request(`http://localpost/dev/missing?to=${to}&since=${since.toISOString()}`),
    )
    const { causes: answered } = (await answer.json()) as { causes: unknown[] }
    expect(answered).toEqual(JSON.parse(JSON.stringify(causes)))
  })

  it('has a case for every cause, but for those that need a broken composition or a simulator', () => {
    const known = (missingCauseCodeSchema as unknown as { options: string[] }).options
    const shown = new Set([...scenarios.map(({ cause }) => cause), 'failed', 'simulator', 'fault'])
    expect(known.filter((code) => !shown.has(code))).toEqual([])
  })

  it('names faults that are on, and the simulator', async () => {
    const on = await start()
    await on.faults.set({ smtp: [{ stage: 'mail', code: 451 }] })
    expect((await on.inbox.explainMissing({ to })).causes.map(({ cause }) => cause)).toEqual([
      'no_attempt',
      'fault',
    ])
    const bounce = 'bounce@simulator.amazonses.com'
    await on.emails.send({ ...mail, to: bounce })
    await on.inbox.waitFor({ to: bounce })
    expect((await on.inbox.explainMissing({ to: bounce })).causes[0]).toMatchObject({ cause: 'simulator' })
  })

  it('looks at what came since a time or a mail', async () => {
    const on = await start()
    await post(on, mail, 'lp_other')
    await new Promise((resolve) => setTimeout(resolve, 2))
    const id = await submit(on, { ...mail, to: 'grace@other.test' })
    const codes = async (since?: Date | string): Promise<string[]> =>
      (await on.inbox.explainMissing({ to, ...(since !== undefined && { since }) })).causes.map(
        ({ cause }) => cause,
      )
    expect(await codes()).toContain('request')
    expect(await codes(id)).not.toContain('request')
    expect(await codes(new Date(Date.now() + 60_000))).toEqual(['no_attempt'])
    const asked = async (query: string): Promise<unknown> =>
      (await on.fetch(new Request(`http://localpost/dev/missing?${query}`))).json()
    expect(await asked(`since=${id}`)).toMatchObject({ to: null })
    expect(await asked('since=yesterday')).toMatchObject({ name: 'validation_error' })
    expect(await asked(`to=${'a'.repeat(321)}`)).toMatchObject({ name: 'validation_error' })
    expect(await asked('form=x')).toMatchObject({ name: 'validation_error' })
    await expect(on.inbox.explainMissing({ to: ' ' })).rejects.toMatchObject({ code: 'invalid_query' })
  })

  it('tells of other accounts only those who may see them', async () => {
    const on = await start({ requireKey: true })
    const { api_key } = await on.accounts.create({ name: 'one' })
    await on.accounts.create({ name: 'two' })
    await on.account('two').emails.send(mail)
    await on.account('two').inbox.waitFor({ to })
    const asked = async (key: string): Promise<string[]> => {
      const headers = { authorization: `Bearer ${key}` }
      const answer = await on.fetch(new Request(`http://localpost/dev/missing?to=${to}`, { headers }))
      const { causes } = (await answer.json()) as { causes: { cause: string }[] }
      return causes.map(({ cause }) => cause)
    }
    const made = await on.fetch(
      new Request('http://localpost/dev/keys', {
        method: 'POST',
        headers: { authorization: `Bearer ${on.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'reads', scope: 'read' }),
      }),
    )
    const { value: reading } = (await made.json()) as { value: string }
    expect(await asked(on.apiKey)).toEqual(['other_account'])
    expect(await asked(reading)).toEqual(['no_attempt'])
    expect(await asked(api_key)).toEqual(['no_attempt'])
    const { causes } = await on.account('one').inbox.explainMissing({ to })
    expect(causes.map(({ cause }) => cause)).toEqual(['no_attempt'])
  })

  it.each([
    ['a wrong key', { authorization: 'Bearer lp_other' }, /^There is no API key .* Use the key that .*\.$/],
    ['no key', {}, /^The request has no Authorization header\. Send `Authorization: Bearer <API_KEY>`\.$/],
  ])('says the advice about %s once', async (_, headers: Record<string, string>, advice) => {
    const on = await start()
    await on.fetch(
      new Request('http://localpost/v1/emails', {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(mail),
      }),
    )
    const [first] = (await on.inbox.explainMissing({ to })).causes
    expect(first?.remedy).toMatch(advice)
    expect(first?.message).toMatch(/^A request was refused: The [\w ]+\.$/)
  })

  it('ends the message of a wait that timed out', async () => {
    const on = await start()
    await post(on, mail, 'lp_other')
    await expect(on.inbox.waitFor({ to }, { timeoutMs: 10 })).rejects.toThrow(
      /within 10 ms\. The inbox is empty\. A likely cause: A request was refused: The API key does not exist\./,
    )
    await expect(on.inbox.waitFor(`to:${to}`, { timeoutMs: 10 })).rejects.toThrow(/A likely cause/)
    await expect(on.inbox.waitFor('', { timeoutMs: 10 })).rejects.toThrow(/A likely cause/)
    const long = on.inbox.waitFor({ to: 'a'.repeat(400) }, { timeoutMs: 10 })
    await expect(long).rejects.toMatchObject({ code: 'wait_timeout' })
    await on.reset()
    await expect(on.inbox.waitFor({ to }, { timeoutMs: 10 })).rejects.toThrow(/The inbox is empty\.$/)
  })

  it('does not take a phrase of a query for the recipient', async () => {
    const on = await start()
    await on.rules.set([{ match: to, action: 'reject' }])
    await on.emails.send(mail)
    await on.inbox.waitFor({ to })
    const explained = on.inbox.waitFor(`subject:x to:${to}`, { timeoutMs: 10 })
    await expect(explained).rejects.toThrow(/Likely causes: A rule refused the recipient/)
    const quoted = on.inbox.waitFor(`subject:"x to:${to}"`, { timeoutMs: 10 })
    await expect(quoted).rejects.toThrow(/subject "Welcome"\.$/)
  })
})

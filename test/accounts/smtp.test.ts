import { createTransport } from 'nodemailer'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { CreatedAccount, Localpost, Notice } from '../../src/index.ts'
import { start } from '../support/instance.ts'
import { submit } from '../support/submit.ts'
import { caller } from './_worlds.ts'

/** Submits with credentials, or with none. */
function submitAs(
  post: Localpost,
  auth: { user: string; pass: string } | null,
  subject: string,
  to = 'c@d.test',
) {
  return submit({ smtp: { ...post.smtp, ...(auth && { auth }) } }, { subject, to, text: 'x' })
}

const subjectsOf = async (side: Pick<Localpost, 'inbox'>): Promise<string[]> =>
  (await side.inbox.list()).items.map(({ subject }) => subject).reverse()

async function world(options: Parameters<typeof start>[0] = {}): Promise<{
  post: Localpost
  team: CreatedAccount
  notices: Notice[]
}> {
  const notices: Notice[] = []
  const post = await start({ onNotice: (notice) => notices.push(notice), ...options })
  return { post, team: await post.accounts.create({ name: 'team' }), notices }
}

describe('credentials over SMTP', () => {
  test('decide the account: a key of it, its name and password, or none', async () => {
    const { post, team } = await world()
    await submitAs(post, { user: 'team', pass: team.smtp.password }, 'by password')
    await submitAs(post, { user: 'anything', pass: team.api_key }, 'by key')
    await submitAs(post, null, 'without')
    await submitAs(post, { user: 'anything', pass: 'anything' }, 'any')
    await submitAs(post, { user: 'anything', pass: post.apiKey }, 'key of default')
    expect(await subjectsOf(post.account('team'))).toEqual(['by password', 'by key'])
    expect(await subjectsOf(post)).toEqual(['without', 'any', 'key of default'])
  })

  test('that are wrong, of a disabled or of a removed account are refused, and the log names the user', async () => {
    const { post, team, notices } = await world()
    const other = await post.accounts.create({ name: 'other' })
    const read = JSON.parse((await caller(post, team.api_key)('POST', '/dev/keys', { scope: 'read' })).text)
    const refused = async (user: string, pass: string): Promise<void> => {
      await expect(submitAs(post, { user, pass }, 'no')).rejects.toMatchObject({ responseCode: 535 })
    }
    await refused('team', 'wrong')
    await refused('team', other.smtp.password)
    await refused('x', read.value)
    await post.accounts.update('team', { is_disabled: true })
    await refused('team', team.smtp.password)
    await refused('x', team.api_key)
    await post.accounts.remove('other')
    // `default` takes mail with any credentials, but not with those of an account that is gone.
    await refused('other', other.smtp.password)
    await refused('x', other.api_key)
    await post.accounts.remove('team')
    await refused('team', team.smtp.password)
    const { smtp } = await world({ smtpAuth: 'required' }).then(({ post: strict }) => strict)
    await expect(
      submit({ smtp: { ...smtp, auth: { user: 'x', pass: other.api_key } } as Localpost['smtp'] }, {}),
    ).rejects.toMatchObject({ responseCode: 535 })
    expect(notices.some(({ message }) => message.includes('"team"'))).toBe(true)
    expect(await subjectsOf(post)).toEqual([])
  })

  test('reach the rules, faults and simulators of their account alone', async () => {
    const { post, team } = await world({ rejectSubmissions: true })
    const auth = { user: 'team', pass: team.smtp.password }
    await post.account('team').rules.set([{ match: 'full@example.test', action: 'reject', code: 552 }])
    await expect(submitAs(post, auth, 'refused', 'full@example.test')).rejects.toMatchObject({
      responseCode: 552,
    })
    await submitAs(post, null, 'accepted', 'full@example.test')
    await post.account('team').faults.set({ smtp: [{ stage: 'end', code: 451 }] })
    await expect(submitAs(post, auth, 'fault')).rejects.toMatchObject({ responseCode: 451 })
    await submitAs(post, null, 'no fault')
    expect(await subjectsOf(post)).toEqual(['accepted', 'no fault'])
    expect(await subjectsOf(post.account('team'))).toEqual([])
  })

  test('let the outbox of the account say what becomes of a submission to a rule', async () => {
    const { post, team } = await world()
    await post.account('team').rules.set([{ match: 'gone@example.test', action: 'reject' }])
    const id = await submitAs(post, { user: 'x', pass: team.api_key }, 'bounces', 'gone@example.test')
    await expect
      .poll(async () => (await post.account('team').emails.get(id)).last_event?.status, { timeout: 10_000 })
      .toBe('bounced')
  })

  test('end with a new password, also in a session that is open; keys stay', async () => {
    const { post, team } = await world()
    const login = { user: 'team', pass: team.smtp.password }
    const transport = createTransport({ ...post.smtp, auth: login, pool: true, maxConnections: 1 })
    onTestFinished(() => transport.close())
    const mail = { from: 'a@b.test', to: 'c@d.test', subject: 'old', text: 'x' }
    await transport.sendMail(mail)
    const { smtp } = await post.accounts.renewPassword('team')
    expect(smtp).toEqual({ ...team.smtp, password: expect.stringMatching(/^\S{32}$/) })
    expect(smtp.password).not.toBe(team.smtp.password)
    // The session ends, so nodemailer signs in again.
    await expect(transport.sendMail({ ...mail, subject: 'open' })).rejects.toMatchObject({
      responseCode: 535,
    })
    await expect(submitAs(post, login, 'again')).rejects.toMatchObject({ responseCode: 535 })
    await submitAs(post, { user: 'team', pass: smtp.password }, 'new')
    await submitAs(post, { user: 'x', pass: team.api_key }, 'key')
    expect(await subjectsOf(post.account('team'))).toEqual(['old', 'new', 'key'])
    expect(await subjectsOf(post)).toEqual([])
    // Nor does it reach `default` once the account is gone.
    await post.accounts.remove('team')
    await expect(submitAs(post, login, 'gone')).rejects.toMatchObject({ responseCode: 535 })
    expect(await subjectsOf(post)).toEqual([])
    await expect(post.accounts.renewPassword('default')).rejects.toMatchObject({ code: 'state_conflict' })
    await expect(post.accounts.renewPassword('none')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('of a session that stays open end with the account', async () => {
    const { post, team } = await world()
    const transport = createTransport({
      ...post.smtp,
      auth: { user: 'team', pass: team.smtp.password },
      pool: true,
      maxConnections: 1,
    })
    const send = (subject: string): Promise<unknown> =>
      transport.sendMail({ from: 'a@b.test', to: 'c@d.test', subject, text: 'x' })
    await send('one')
    // New limits open the account again, and the session goes on.
    await post.accounts.update('team', { max_emails: 100 })
    await expect
      .poll(() =>
        send('two').then(
          () => 'sent',
          (error: Error) => error.message,
        ),
      )
      .toBe('sent')
    expect(await subjectsOf(post.account('team'))).toEqual(['one', 'two'])
    await post.accounts.remove('team')
    await expect(send('three')).rejects.toMatchObject({ responseCode: 535 })
    transport.close()
    expect(await subjectsOf(post)).toEqual([])
  })
})

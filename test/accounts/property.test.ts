import { expect, test } from 'vitest'
import type { AccountNouns, CreatedAccount } from '../../src/index.ts'
import { roundsOf } from '../support/long.ts'
import { randomOf } from '../support/random.ts'
import { submit } from '../support/submit.ts'
import { caller, startBounded } from './_worlds.ts'

/** What an account must hold, and how it is reached. */
interface Model {
  account: CreatedAccount
  mails: Map<string, { subject: string; tags: string[] }>
  templates: Set<string>
  domains: Set<string>
  /** What is in memory alone: requests to `/v1` and sends of the library, and SMTP sessions. */
  requests: number
  sessions: number
}

const rounds = roundsOf('LOCALPOST_ACCOUNT_ROUNDS', { short: 150, long: 3000 })

test(`after ${rounds} random operations through every surface, each account holds what was done to it`, async () => {
  const random = randomOf(20_260_101)
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
  // Accounts are closed and opened again all the time.
  const post = await startBounded(1)
  const models: Model[] = []
  let made = 0
  const make = async (): Promise<Model> => {
    const account = await post.accounts.create({ name: `world-${++made}` })
    return { account, mails: new Map(), templates: new Set(), domains: new Set(), requests: 0, sessions: 0 }
  }
  for (let n = 0; n < 2; n++) models.push(await make())

  const sideOf = ({ account }: Model): AccountNouns => post.account(account.name)
  const http = ({ account }: Model): ReturnType<typeof caller> => caller(post, account.api_key)
  const mail = (n: number) => ({ from: 'a@b.test', to: 'c@d.test', subject: `mail ${n}`, text: `text ${n}` })
  const operations: ((model: Model, n: number) => Promise<void>)[] = [
    async (model, n) => {
      const { id } = await sideOf(model).emails.send(mail(n))
      model.requests++
      model.mails.set(id, { subject: `mail ${n}`, tags: [] })
    },
    async (model, n) => {
      const { status, text } = await http(model)('POST', '/v1/emails', mail(n))
      expect([200, status], text).toContain(status)
      model.requests++
      model.mails.set((JSON.parse(text) as { id: string }).id, { subject: `mail ${n}`, tags: [] })
    },
    async (model, n) => {
      const { username: user, password: pass } = model.account.smtp
      const auth = pick([
        { user, pass },
        { user: 'any', pass: model.account.api_key },
      ])
      const smtp = { ...post.smtp, auth } as typeof post.smtp
      model.mails.set(await submit({ smtp }, mail(n)), { subject: `mail ${n}`, tags: [] })
      model.sessions++
      // It ends a moment after its client has the last reply.
      const newest = async () => (await sideOf(model).smtpSessions.list({ limit: 1 })).items[0]?.ended
      await expect.poll(newest).toEqual(expect.any(Number))
    },
    async (model) => {
      const id = pick([...model.mails.keys()])
      if (id === undefined) return
      await sideOf(model).inbox.remove(id)
      model.mails.delete(id)
    },
    async (model, n) => {
      // Another account's id: nothing happens.
      const foreign = pick(models.filter((other) => other !== model))
      const id = pick([...foreign.mails.keys()])
      if (id === undefined) return
      const { status } = await http(model)(pick(['DELETE', 'GET']), `/dev/inbox/${id}`)
      expect(status).toBe(404)
      expect(await sideOf(model).inbox.updateMatching(`id:${id}`, { add_tags: [`t${n}`] })).toBe(0)
    },
    async (model, n) => {
      const changed = await sideOf(model).inbox.updateMatching(null, { tags: [`t${n}`] })
      expect(changed).toBe(model.mails.size)
      for (const one of model.mails.values()) one.tags = [`t${n}`]
    },
    async (model) => {
      const id = `template-${Math.floor(random() * 5)}`
      await sideOf(model).templates.put(id, { text: 'x' })
      model.templates.add(id)
    },
    async (model) => {
      const id = pick([...model.templates])
      if (id === undefined) return
      await sideOf(model).templates.remove(id)
      model.templates.delete(id)
    },
    async (model) => {
      const name = `domain-${Math.floor(random() * 5)}.test`
      const { status } = await http(model)('POST', '/v1/domains', { name })
      expect(status).toBe(model.domains.has(name) ? 409 : 201)
      model.domains.add(name)
      model.requests++
    },
    async (model) => {
      if (random() > 0.2) return
      const { status } = await http(model)('POST', '/dev/reset', {})
      expect(status).toBe(200)
      for (const held of [model.mails, model.templates, model.domains]) held.clear()
      model.requests = model.sessions = 0
    },
    async (model) => {
      if (random() > 0.2) return
      await post.accounts.remove(model.account.name)
      models[models.indexOf(model)] = await make()
    },
  ]

  async function check(model: Model): Promise<void> {
    const side = sideOf(model)
    const { items } = await side.inbox.list({ limit: 500 })
    // Where instances share a store, these are stored a moment later.
    const logged = async () => [(await side.requests.list()).count, (await side.smtpSessions.list()).count]
    await expect.poll(logged).toEqual([Math.min(model.requests, 1000), Math.min(model.sessions, 500)])
    const held = Object.fromEntries(items.map(({ id, subject, tags }) => [id, { subject, tags }]))
    expect(held).toEqual(Object.fromEntries(model.mails))
    expect((await side.templates.list()).items.map(({ id }) => id)).toEqual([...model.templates].sort())
    const created = (await side.domains.list()).items.map(({ name }) => name)
    expect(created.filter((name) => name.startsWith('domain-')).sort()).toEqual([...model.domains].sort())
  }

  for (let n = 0; n < rounds; n++) {
    await pick(operations)(pick(models), n)
    if (n % 25 === 24) for (const model of models) await check(model)
  }
  for (const model of models) await check(model)
  expect((await post.inbox.list()).count).toBe(0)
  expect((await post.templates.list()).count).toBe(0)
}, 300_000)

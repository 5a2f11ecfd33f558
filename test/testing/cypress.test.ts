import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { localpost } from '../../src/cypress/index.ts'
import type { Localpost, Mail } from '../../src/index.ts'
import { startForTest } from '../../src/testing/index.ts'
import { goodMail } from '../support/mail.ts'

let post: Localpost
let url: string
beforeAll(async () => {
  post = await startForTest()
  url = (await post.listen()).url
})
afterAll(() => post.close())
beforeEach(() => post.reset())
afterEach(() => vi.unstubAllGlobals())

type Run = (argument?: unknown) => Promise<unknown>

function tasksOf(settings?: Parameters<typeof localpost>[1]): Readonly<Record<string, Run>> {
  const found: Record<string, Run> = {}
  localpost((event, tasks) => {
    expect(event).toBe('task')
    Object.assign(found, tasks)
  }, settings)
  return found
}

/** Calls a task as Cypress does: argument and result are JSON, and undefined is an error. */
async function call(name: string, argument?: unknown, tasks = tasksOf({ url })): Promise<unknown> {
  const run = tasks[`localpost:${name}`]
  if (!run) throw new Error(`The task 'localpost:${name}' was not handled in the setupNodeEvents method.`)
  const json = argument === undefined ? undefined : JSON.stringify(argument)
  const result = await run(json === undefined ? undefined : (JSON.parse(json) as unknown))
  if (result === undefined) throw new Error('The task returned undefined.')
  return JSON.parse(JSON.stringify(result))
}

const subjectOf = (mail: unknown): string => (mail as Mail).subject
const send = async (subject: string): Promise<{ id: string }> => post.emails.send({ ...goodMail, subject })

describe('the tasks of Cypress', () => {
  it('find a mail by a text, by members, by a pattern, and any', async () => {
    const { id } = await send('Your code is 482913')
    const mail = JSON.parse(JSON.stringify(await post.inbox.waitFor({ id }))) as Mail
    const queries = [
      undefined,
      'subject:code',
      { to: 'ada@example.com' },
      { subject: { source: '^your CODE', flags: 'i' } },
      { after: new Date(0) },
    ]
    for (const query of queries) expect([query, await call('waitForMail', { query })]).toEqual([query, mail])
    expect(await call('waitForMail')).toEqual(mail)
    expect(await call('waitForMail', { after: new Date(0) })).toEqual(mail)
    expect(await call('mails', { query: 'to:ada@example.com' })).toMatchObject([{ id }])
    expect(await call('mails', { query: 'to:nobody@example.com' })).toEqual([])
  })

  it('wait for mail that comes later', async () => {
    const { id } = await send('The first')
    const waits = [
      call('waitForMail', { query: { subject: 'the' }, after: id }),
      call('waitForMail', { query: { subject: 'the', after: id } }),
      call('waitForMails', { query: 'subject:the', count: 2 }),
    ]
    await send('The second')
    const [mail, same, both] = await Promise.all(waits)
    expect([mail, same].map(subjectOf)).toEqual(['The second', 'The second'])
    expect((both as Mail[]).map(subjectOf)).toEqual(['The second', 'The first'])
  })

  it('say what came closest when there is no such mail, or one that should not be', async () => {
    const { id } = await send('Welcome')
    await post.inbox.waitFor({ id })
    for (const query of ['to:bob@example.com', { to: 'bob@example.com' }])
      await expect(call('waitForMail', { query, timeoutMs: 20 })).rejects.toThrow(
        /^No mail for .*bob@example\.com.* within 20 ms\.[^]*Welcome/,
      )
    await expect(call('waitForMails', { count: 2, timeoutMs: 20 })).rejects.toThrow(/^Only 1 of 2 mails/)
    await expect(call('expectNoMail', { query: 'welcome' })).rejects.toThrow(/^Unexpected mail[^]*Welcome/)
    expect(await call('expectNoMail', { query: { subject: /x/.source }, timeoutMs: 20 })).toBeNull()
  })

  it('empty the inbox', async () => {
    const { id } = await send('Old')
    await post.inbox.waitFor({ id })
    expect(await call('clearMails')).toBe(1)
    expect(await call('clearMails', null)).toBe(0)
    expect(await call('mails')).toEqual([])
  })

  it.each([
    [
      'waitForMail',
      { timeout: 5 },
      'Unknown option "timeout" of the task localpost:waitForMail. Did you mean "timeoutMs"?',
    ],
    [
      'waitForMail',
      'to:ada@example.com',
      'The options of the task localpost:waitForMail are an object with some of query,',
    ],
    ['waitForMail', { query: { tow: 'ada' } }, '"tow" is not a member of a query. Did you mean to?'],
    ['waitForMail', { query: { to: null } }, 'to is null; it takes a string or a RegExp.'],
    ['waitForMail', { query: 7 }, 'A query is a text such as "to:ada@example.com"'],
    ['waitForMail', { query: { subject: { source: '(', flags: '' } } }, 'Invalid regular expression'],
    [
      'waitForMail',
      { after: 'yesterday' },
      'after is Date Invalid Date; it takes a Date, or the id of a mail',
    ],
    ['waitForMail', { timeoutMs: '5' }, 'Option "timeoutMs" takes milliseconds from 0, not "5".'],
    ['waitForMail', { timeoutMs: 300_001 }, 'a server waits for at most 300000 ms'],
    ['waitForMails', { query: { to: 'ada' } }, 'count: must be a whole number from 1 to 500, not undefined'],
    ['waitForMails', { count: 0 }, 'count: must be a whole number from 1 to 500, not 0'],
    ['expectNoMail', { count: 1 }, 'Unknown option "count" of the task localpost:expectNoMail.'],
    [
      'mails',
      { query: { to: 'ada' } },
      'mails() takes a text such as "to:ada@example.com", not {"to":"ada"}.',
    ],
    ['clearMails', { query: 'to:ada' }, 'Unknown option "query" of the task localpost:clearMails.'],
  ])('%s refuses %j', async (name, argument, message) => {
    await expect(call(name, argument)).rejects.toThrow(message)
  })

  it('refuse wrong settings at once, and say which settings lead to a server that does not answer', async () => {
    expect(() => tasksOf({ uri: url } as object)).toThrow(
      'Unknown option "uri" of localpost(on). Did you mean "url"?',
    )
    expect(() => tasksOf({ url: 'localhost:8025' })).toThrow('url must be an http(s) URL')
    vi.stubEnv('LOCALPOST_URL', 'http://127.0.0.1:1')
    const nowhere = tasksOf()
    vi.unstubAllEnvs()
    await expect(call('mails', {}, nowhere)).rejects.toThrow(/127\.0\.0\.1:1[^]*LOCALPOST_URL/)
    await expect(call('mails', {}, tasksOf({ url, apiKey: 'wrong' }))).rejects.toThrow(/key/)
  })

  it('read the account of the key', async () => {
    const { api_key: apiKey, name } = await post.accounts.create({})
    await send('Of default')
    await post.account(name).emails.send({ ...goodMail, subject: 'Of the account' })
    const mail = await call('waitForMail', {}, tasksOf({ url, apiKey }))
    expect(subjectOf(mail)).toBe('Of the account')
  })
})

describe('the commands of Cypress', () => {
  type Command = (...given: unknown[]) => Promise<unknown>

  /**
   * A stand-in for two members of Cypress's globals: `Cypress.Commands.add` and `cy.task`. It queues nothing and retries nothing.
   */
  function standIn(): { commands: Record<string, Command>; timeouts: number[]; globals: object } {
    const commands: Record<string, Command> = {}
    const timeouts: number[] = []
    const cy = {
      async task(name: string, argument: unknown, options: { timeout: number }) {
        timeouts.push(options.timeout)
        return call(name.replace('localpost:', ''), argument)
      },
    }
    const add = (name: string, command: Command): void => void (commands[name] = command)
    return { commands, timeouts, globals: { cy, Cypress: { Commands: { add } } } }
  }

  async function load(): Promise<ReturnType<typeof standIn>> {
    const made = standIn()
    for (const [name, value] of Object.entries(made.globals)) vi.stubGlobal(name, value)
    vi.resetModules()
    await import('../../src/cypress/commands.ts')
    return made
  }

  it('run the tasks with what they were given, as JSON', async () => {
    const { commands } = await load()
    expect(Object.keys(commands).map((name) => `localpost:${name}`)).toEqual(Object.keys(tasksOf({ url })))
    const { id } = await send('Your code is 482913')
    for (const query of [
      undefined,
      'code',
      { subject: /^your CODE/i, to: 'ada@example.com' },
      { after: new Date(0) },
    ])
      expect(await commands['waitForMail']?.(query)).toMatchObject({ id, codes: ['482913'] })
    expect(await commands['waitForMail']?.({}, { after: new Date(0), timeoutMs: 5000 })).toMatchObject({ id })
    expect(await commands['waitForMails']?.({ to: /ada/ }, 1)).toMatchObject([{ id }])
    expect(await commands['mails']?.('code')).toMatchObject([{ id }])
    expect(await commands['expectNoMail']?.({ subject: /hello/ }, { timeoutMs: 20 })).toBeNull()
    expect(await commands['clearMails']?.()).toBe(1)
    expect(await commands['mails']?.()).toEqual([])
  })

  it('refuse a member that is undefined, which JSON would leave out', async () => {
    const { commands } = await load()
    await send('Of somebody')
    for (const query of [{ to: undefined }, { to: null }])
      await expect(commands['waitForMail']?.(query)).rejects.toThrow(
        'to is null; it takes a string or a RegExp.',
      )
    await expect(commands['waitForMail']?.(null)).rejects.toThrow('it is null. Leave it out for any mail.')
  })

  it('let a task take longer than its wait and an answer', async () => {
    const { commands, timeouts } = await load()
    await send('Hi')
    await commands['waitForMail']?.()
    await commands['waitForMails']?.(undefined, 1, { timeoutMs: 120_000 })
    await commands['mails']?.()
    expect(timeouts).toEqual([60_000, 180_000, 60_000])
  })

  it('run in a browser, built in both forms: without imports of any kind', async () => {
    const built = join(import.meta.dirname, '../../dist')
    const { commands, globals } = standIn()
    runInNewContext(readFileSync(join(built, 'cypress-commands.cjs'), 'utf8'), { ...globals, exports: {} })
    expect(Object.keys(commands)).toContain('waitForMail')
    await send('Hi')
    // The pattern is one of the other context.
    const query: unknown = runInNewContext('({ subject: /^hi$/i })')
    expect(await commands['waitForMail']?.(query)).toMatchObject({ subject: 'Hi' })
    const module = readFileSync(join(built, 'cypress/commands.js'), 'utf8')
    expect(module).not.toMatch(/^import\b|\bimport\(|\brequire\(/m)
  })
})

import { describe, expect, it } from 'vitest'
import type { CreatedAccount } from '../../src/index.ts'
import { start } from '../support/instance.ts'
import { runToEnd } from './command.ts'

describe('localpost account', () => {
  it('makes, lists and removes accounts of a running server', async () => {
    const post = await start({ requireKey: true })
    const { url } = await post.listen()
    const account = (args: string[], apiKey = post.apiKey): ReturnType<typeof runToEnd> =>
      runToEnd(['account', ...args, `--url=${url}`], {
        env: { LOCALPOST_API_KEY: apiKey },
      })

    const made = await account(['create', 'shop', '--ttl=1h', '--max-emails=5', '--max-age=7d'])
    expect([made.code, made.stderr]).toEqual([0, ''])
    expect(made.stdout).toMatch(
      new RegExp(
        `^Account +shop\nURL +${url}\nKey +lp_\\S+\nSMTP +127\\.0\\.0\\.1:${post.smtp.port}\nUser name +shop\n`,
      ),
    )
    const limits = {
      ttl_ms: 3_600_000,
      max_emails: 5,
      max_age_ms: 604_800_000,
    }
    expect(await post.accounts.get('shop')).toMatchObject(limits)
    const key = /^Key +(\S+)$/m.exec(made.stdout)?.[1] ?? ''
    const mail = { from: 'a@b.test', to: 'c@d.test', subject: 'x', text: 'x' }
    const sent = await fetch(`${url}/v1/emails`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(mail),
    })
    expect(sent.ok).toBe(true)
    await post.account('shop').inbox.waitFor({ subject: 'x' })

    const unnamed = JSON.parse((await account(['create', '--json'])).stdout) as CreatedAccount
    expect(unnamed.name).toMatch(/^account-/)
    expect(unnamed.api_key).toMatch(/^lp_/)
    const listed = await account(['list'])
    expect(listed.stdout).toMatch(
      /^Name +Emails +Unread +Expires\ndefault +0 +0 +never\naccount-\w+ +0 +0 +never\nshop +1 +1 +20\S+Z\n$/,
    )
    expect(JSON.parse((await account(['list', '--json'])).stdout)).toEqual({
      accounts: await post.accounts.list(),
    })

    const taken = await account(['create', 'shop'])
    expect([taken.code, taken.stdout, taken.stderr]).toEqual([
      1,
      '',
      expect.stringContaining('"shop" exists'),
    ])
    const renewed = await account(['password', 'shop'])
    expect([renewed.code, renewed.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^SMTP +127\.0\.0\.1:\d+\nUser name +shop\nPassword +\S{32}\n\nThe password is shown only now\.\n$/,
      ),
    ])
    expect(renewed.stdout).not.toContain(/^Password +(\S+)$/m.exec(made.stdout)?.[1])
    const refused = await account(['remove', 'shop'], key)
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('may not')])
    const removed = await account(['remove', 'shop'])
    expect([removed.code, removed.stdout]).toEqual([0, 'Removed the account shop with everything in it.\n'])
    const gone = await account(['remove', 'shop'])
    expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining('shop')])
    expect((await post.accounts.list()).map(({ name }) => name)).toEqual(['default', unnamed.name])
  })

  it.each<[string, string[], RegExp]>([
    ['no action', [], /Use one of: account create/],
    ['another action', ['drop', 'shop'], /Use one of: account create/],
    ['two names', ['create', 'a', 'b'], /Use one of: account create/],
    ['a list of one', ['list', 'shop'], /Use one of: account create/],
    ['no name for a password', ['password'], /Use one of: account create/],
    ['no name to remove', ['remove'], /Use one of: account create/],
    ['a dotted name', ['remove', '..'], /"\.\." is no name/],
    ['a wrong time to live', ['create', '--ttl=soon'], /--ttl is "soon"/],
    ['limits where nothing is made', ['list', '--ttl=1h'], /are for account create/],
    ['a wrong URL', ['list', '--url=shop'], /--url is "shop"/],
  ])('refuses %s', async (_, args, message) => {
    const { code, stderr } = await runToEnd(['account', ...args])
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)])
  })

  it('finds the server and the key by the variables, and says what is misspelt', async () => {
    const post = await start({ requireKey: true })
    const { url } = await post.listen()
    const list = (env: Record<string, string>): ReturnType<typeof runToEnd> =>
      runToEnd(['account', 'list'], { env: { LOCALPOST_URL: url, ...env } })
    const named = await list({ LOCALPOST_API_KEY: post.apiKey })
    expect([named.code, named.stderr]).toEqual([0, ''])
    const misspelt = await list({ LOCALPOST_API_KEY: post.apiKey, LOCALPOST_APIKEY: 'x' })
    expect(misspelt.code).toBe(0)
    expect(misspelt.stderr).toBe(
      'warning: LOCALPOST_APIKEY is not a variable of Localpost. Did you mean LOCALPOST_API_KEY?\n',
    )
    const wrong = await list({ LOCALPOST_URL: 'ftp://x' })
    expect(wrong).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('LOCALPOST_URL is "ftp://x"; it takes'),
    })
  })
})

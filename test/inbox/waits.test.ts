import { describe, expect, it } from 'vitest'
import { start } from '../support/instance.ts'
import { submit } from '../support/submit.ts'

describe('waits', () => {
  it('for text end when it arrives; members take patterns too', async () => {
    const post = await start()
    const byWord = post.inbox.waitFor('482913')
    const byForm = post.inbox.waitFor({ body: /Code is \d{6}/ })
    await submit(post, { subject: 'other', text: 'nothing' })
    await submit(post, { subject: 'sign in', text: 'Your Code is 482913' })
    expect((await byWord).subject).toBe('sign in')
    expect((await byForm).subject).toBe('sign in')
    expect((await post.inbox.waitFor({ body: 'CODE IS' })).subject).toBe('sign in')
  })

  it('for a number of mails give the newest ones, or report how many there are', async () => {
    const post = await start()
    await submit(post, { subject: 'n 1' })
    const { id } = await post.inbox.waitFor('n')
    const three = post.inbox.waitForCount('subject:n', 3)
    await submit(post, { subject: 'n 2' })
    await submit(post, { subject: 'n 3' })
    expect((await three).map(({ subject }) => subject)).toEqual(['n 3', 'n 2', 'n 1'])
    const late = post.inbox.waitForCount('subject:n', 3, { after: id, timeoutMs: 30 })
    await expect(late).rejects.toMatchObject({
      code: 'wait_timeout',
      message: expect.stringContaining('Only 2 of 3 mails for "subject:n" within 30 ms.') as string,
    })
    await expect(post.inbox.waitForCount('', 0)).rejects.toMatchObject({ code: 'validation_error' })
  })

  it('end with their signal, before and while they wait', async () => {
    const post = await start()
    const caller = new AbortController()
    const { signal } = caller
    const waits = [
      post.inbox.waitFor('never', { signal }),
      post.inbox.waitForCount('never', 2, { signal }),
      post.inbox.expectNone('never', { timeoutMs: 60_000, signal }),
    ].map((wait) => expect(wait).rejects.toThrow('left'))
    caller.abort(new Error('left'))
    await Promise.all(waits)
    await expect(post.inbox.waitFor('never', { signal })).rejects.toThrow('left')
  })

  it('for no mail resolve after their time, or name the mail at once', async () => {
    const post = await start()
    await post.inbox.expectNone('welcome', { timeoutMs: 20 })
    const none = post.inbox.expectNone('welcome', { timeoutMs: 60_000 })
    const outcome = expect(none).rejects.toMatchObject({
      code: 'unexpected_mail',
      message: expect.stringContaining('subject "Welcome"') as string,
    })
    await submit(post, { subject: 'Welcome' })
    await outcome
    const { id } = await post.inbox.waitFor('welcome')
    await post.inbox.expectNone('welcome', { timeoutMs: 20, after: id })
    await expect(post.inbox.expectNone('welcome')).rejects.toMatchObject({ code: 'unexpected_mail' })
    const open = [post.inbox.expectNone('never', { timeoutMs: 60_000 }), post.inbox.waitForCount('never', 2)]
    const closed = open.map((wait) => expect(wait).rejects.toMatchObject({ code: 'closed' }))
    await post.close()
    await Promise.all(closed)
  })
})

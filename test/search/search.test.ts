import { readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createLocalpost } from '../../src/index.ts'
import { temporaryFolder } from '../support/folder.ts'
import { start } from '../support/instance.ts'
import { subjectsOf } from '../inbox/_email.ts'
import { submit } from '../support/submit.ts'

describe('a search', () => {
  it('searches the text of submissions and API sends, in HTML and in any case', async () => {
    const post = await start()
    await submit(post, { subject: 'plain', text: 'The Überweisung\nis on\r\n its way' })
    await submit(post, { subject: 'html', text: undefined, html: '<p>Your <b>Ticket</b> is <i>here</i></p>' })
    await post.emails.send({ from: 'a@acme.test', to: 'b@x.test', subject: 'api', text: 'Žluťoučký kůň' })
    expect(await subjectsOf(post, 'überweisung')).toEqual(['plain'])
    expect(await subjectsOf(post, '"is on its way"')).toEqual(['plain'])
    expect(await subjectsOf(post, 'body:"ticket is HERE"')).toEqual(['html'])
    expect(await subjectsOf(post, 'ŽLUŤOUČKÝ')).toEqual(['api'])
    expect(await subjectsOf(post, 'body:plain')).toEqual([])
    expect(await subjectsOf(post, '-ticket')).toEqual(['api', 'plain'])
    expect(await subjectsOf(post, 'ticket ticket -nothing from:bob')).toEqual(['html'])
    // An id is in the row too, but is not searchable text.
    expect(await subjectsOf(post, 'em_0')).toEqual([])
  })

  it('supports status, type, source, domain, tag, dates and sizes', async () => {
    const post = await start()
    await submit(post, { subject: 'small', cc: 'eve@example.com' })
    await post.emails.send({
      from: 'A <a@other.test>',
      to: 'b@x.test',
      subject: 'api',
      text: 'x'.repeat(5000),
    })
    const { id } = await post.inbox.waitFor('subject:api')
    await post.inbox.update(id, { tags: ['Signup'] })
    expect(await subjectsOf(post, 'status:delivered')).toEqual(['api', 'small'])
    expect(await subjectsOf(post, 'status:bounced')).toEqual([])
    expect(await subjectsOf(post, '-status:bounced source:smtp')).toEqual(['small'])
    expect(await subjectsOf(post, 'type:broadcast')).toEqual([])
    expect(await subjectsOf(post, 'domain:other.test')).toEqual(['api'])
    expect(await subjectsOf(post, 'tag:signup')).toEqual(['api'])
    expect(await subjectsOf(post, '-tag:signup cc:eve')).toEqual(['small'])
    expect(await subjectsOf(post, 'after:1h before:2099-01-01')).toEqual(['api', 'small'])
    expect(await subjectsOf(post, 'before:1h')).toEqual([])
    expect(await subjectsOf(post, 'larger:4k')).toEqual(['api'])
    expect(await subjectsOf(post, 'smaller:4kb')).toEqual(['small'])
    expect(await subjectsOf(post, `id:${id},em_x`)).toEqual(['api'])
  })

  it('finds addresses in an internationalised domain by both of its spellings', async () => {
    const post = await start()
    await submit(post, {
      subject: 'in',
      from: 'Info <info@bücher.example>',
      to: 'ada@例え.jp',
      cc: 'x@xn--fa-hia.test',
    })
    await submit(post, { subject: 'other' })
    for (const query of [
      'from:bücher.example',
      'from:info@BÜCHER.example',
      'from:@xn--bcher-kva.example',
      'to:ada@例え.jp',
      'to:ada@xn--r8jz45g.jp',
      'cc:faß.test',
      'domain:bücher.example',
      'domain:xn--bcher-kva.example',
      '-from:acme to:例え',
    ]) {
      expect(await subjectsOf(post, query), query).toEqual(['in'])
    }
    expect(await subjectsOf(post, '-to:例え.jp')).toEqual(['other'])
    expect(await subjectsOf(post, 'from:bücher')).toEqual(['in'])
    expect(await subjectsOf(post, 'from:buecher.example')).toEqual([])
    for (const to of ['ada@例え.jp', 'ada@xn--r8jz45g.jp']) {
      expect((await post.inbox.waitFor({ to, from: 'info@bücher.example' })).subject).toBe('in')
    }
  })

  it('has pages, also while mail arrives and is removed', async () => {
    const post = await start({ pageSize: 2 })
    for (const n of [1, 2, 3, 4, 5]) await submit(post, { subject: `mail ${n}`, text: 'needle' })
    const first = await post.inbox.list({ query: 'needle' })
    expect(first).toMatchObject({ count: 5, items: [{ subject: 'mail 5' }, { subject: 'mail 4' }] })
    await submit(post, { subject: 'mail 6', text: 'needle' })
    await post.inbox.remove(first.cursor ?? '')
    const second = await post.inbox.list({ query: 'needle', cursor: first.cursor })
    expect(second).toMatchObject({ count: 5, items: [{ subject: 'mail 3' }, { subject: 'mail 2' }] })
    const third = await post.inbox.list({ query: 'needle', cursor: second.cursor })
    expect(third).toMatchObject({ cursor: null, items: [{ subject: 'mail 1' }] })
    await expect(post.inbox.list({ query: 'needle', cursor: 'x' })).rejects.toMatchObject({
      code: 'invalid_cursor',
    })
  })

  it.each([
    ['a statsu:sent', /"statsu:" is not a key. Did you mean status:\?.*character 3: a →statsu:sent/],
    ['status:gone', /status: takes sent, delivered.*not "gone"/],
    ['after:soon', /after: takes a day \(2026-01-31\).*not "soon"/],
    ['before:2026-02-29', /before: takes a day .*not "2026-02-29"/],
    ['after:2026-04-31T10:00Z', /after: takes a day/],
    ['larger:huge', /larger: takes bytes.*not "huge"/],
    ['from:', /from: has no value/],
  ])('explains the error in %j', async (query, message) => {
    const post = await start()
    await expect(post.inbox.list({ query })).rejects.toThrow(message)
  })

  it('finds mail again after a restart, also where the derived file is missing or damaged', async () => {
    const dir = temporaryFolder()
    const first = await createLocalpost({ dir })
    await submit(first, { subject: 'one', text: 'needle' })
    expect(await subjectsOf(first, 'needle')).toEqual(['one'])
    await first.close()
    const file = join(dir, 'derived', 'mail-text.5')
    expect(statSync(file).size).toBeGreaterThan(0)
    const second = await createLocalpost({ dir })
    await submit(second, { subject: 'two', text: 'needle', attachments: [{ filename: 'a', content: 'b' }] })
    expect(await subjectsOf(second, 'needle')).toEqual(['two', 'one'])
    await second.close()
    rmSync(join(dir, 'derived'), { recursive: true })
    const third = await createLocalpost({ dir })
    expect(await subjectsOf(third, 'needle')).toEqual(['two', 'one'])
    expect(await subjectsOf(third, 'has:attachment')).toEqual(['two'])
    await third.close()
    writeFileSync(file, 'garbage')
    const fourth = await createLocalpost({ dir })
    expect(await subjectsOf(fourth, 'needle')).toEqual(['two', 'one'])
    await fourth.close()
    // As another version of Localpost leaves them.
    for (const name of readdirSync(join(dir, 'derived')).filter((name) => name.startsWith('mail-')))
      renameSync(join(dir, 'derived', name), join(dir, 'derived', name.replace(/\d+$/, '1')))
    const fifth = await start({ dir })
    expect(await subjectsOf(fifth, 'needle')).toEqual(['two', 'one'])
    expect(readdirSync(join(dir, 'derived')).filter((name) => /^mail-.*\.1$/.test(name))).toEqual([])
  })

  it('finds mail that a snapshot restores', async () => {
    const post = await start()
    await submit(post, { subject: 'kept', text: 'needle' })
    expect(await subjectsOf(post, 'needle')).toEqual(['kept'])
    const snapshot = await post.snapshot()
    await post.inbox.removeMatching(null)
    expect(await subjectsOf(post, 'needle')).toEqual([])
    await post.restore(snapshot)
    expect(await subjectsOf(post, 'needle')).toEqual(['kept'])
  })
})

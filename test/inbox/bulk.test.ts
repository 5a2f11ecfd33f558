import { describe, expect, it } from 'vitest'
import { start } from '../support/instance.ts'
import { subjectsOf } from './_email.ts'
import { submit } from '../support/submit.ts'

describe('bulk changes', () => {
  it('find the mails of a long list of ids, in its order', async () => {
    const post = await start()
    const ids: string[] = []
    for (let n = 0; n < 3; n++)
      ids.push((await post.inbox.import(Buffer.from(`Subject: ${n}\r\n\r\nHi\r\n`))).id)
    const others = Array.from({ length: 2000 }, (_, n) => `em_${n}`)
    const given = [ids[2], ...others, '', '\0', ids[0], ids[2]] as string[]
    expect(await post.inbox.updateMatching({ ids: given }, { add_tags: ['x'] })).toBe(2)
    expect(await subjectsOf(post, 'tag:x')).toEqual(['2', '0'])
    expect(await post.inbox.removeMatching({ ids: others })).toBe(0)
    expect(await post.inbox.removeMatching({ ids: given })).toBe(2)
    expect(await subjectsOf(post, '')).toEqual(['1'])
  })

  it('mark and tag the matches of a query, or mails by their ids', async () => {
    const post = await start()
    for (const subject of ['a1', 'a2', 'b1']) await submit(post, { subject })
    expect(await post.inbox.updateMatching('subject:a', { unread: false, add_tags: ['x', 'y'] })).toBe(2)
    expect(await subjectsOf(post, 'is:read tag:x')).toEqual(['a2', 'a1'])
    const { id } = await post.inbox.waitFor('subject:a1')
    expect(await post.inbox.updateMatching({ ids: [id, 'em_x'] }, { remove_tags: ['x'] })).toBe(1)
    expect(await subjectsOf(post, 'tag:x')).toEqual(['a2'])
    expect(await post.inbox.removeMatching({ ids: [id, id, 'em_x'] })).toBe(1)
    expect(await subjectsOf(post, '')).toEqual(['b1', 'a2'])
    // As tags are searched: whatever the case of their letters.
    expect(await post.inbox.updateMatching('tag:X', { remove_tags: ['X'], add_tags: ['Y', 'Z'] })).toBe(1)
    expect((await post.inbox.waitFor('subject:a2')).tags).toEqual(['y', 'Z'])
    expect(await post.inbox.updateMatching('tag:z', { remove_tags: ['Z'], add_tags: ['z'] })).toBe(1)
    expect((await post.inbox.waitFor('subject:a2')).tags).toEqual(['y', 'z'])
    await expect(post.inbox.updateMatching(null, { add_tags: ['a,b'] })).rejects.toMatchObject({
      errors: [{ field: 'add_tags' }],
    })
    const misspelt: object = { unraed: false }
    await expect(post.inbox.updateMatching(null, misspelt)).rejects.toThrow('did you mean unread?')
    for (const nothing of [{}, { unread: undefined }]) {
      await expect(post.inbox.updateMatching(null, nothing)).rejects.toThrow('says nothing to change')
    }
  })
})

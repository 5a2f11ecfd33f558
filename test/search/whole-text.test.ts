import { describe, expect, it } from 'vitest'
import type { Localpost } from '../../src/index.ts'
import { searchedLength } from '../../src/mime/html/searchable-text.ts'
import { subjectsOf } from '../inbox/_email.ts'
import { start } from '../support/instance.ts'
import { submit } from '../support/submit.ts'

/** So many characters of words, ending with this one. */
function textWith(word: string, length: number): string {
  return `${'word '.repeat(Math.ceil(length / 5)).slice(0, length - word.length - 1)} ${word}`
}

const html = (text: string): string => `<html><style>p { color: red }</style><p>${text}</p></html>`

/** Where a mail has the word. The length is that of its text up to the end of the word. */
const mails: Record<string, (word: string) => Parameters<typeof submit>[1]> = {
  'after 2 KB of text': (word) => ({ text: textWith(word, 2300) }),
  'after 2 KB of HTML': (word) => ({ html: html(textWith(word, 2300)) }),
  'after 2 KB, in HTML beside a short text': (word) => ({ text: 'short', html: html(textWith(word, 2300)) }),
  'after 2 KB of text, beside another HTML': (word) => ({ text: textWith(word, 2300), html: html('other') }),
  'in HTML that goes on after the text': (word) => ({
    text: 'word '.repeat(1000),
    html: html(textWith(word, 6000)),
  }),
  'after 200 KB of markup': (word) => ({ html: html(`${'<b style="color:red"></b>'.repeat(8000)}${word}`) }),
  'at the end of what is searched': (word) => ({ text: textWith(word, searchedLength) }),
  'in letters of three bytes': (word) => ({ text: `${'日本'.repeat(50_000)} ${word}` }),
  'in base64': (word) => ({ text: textWith(word, 200_000), textEncoding: 'base64' }),
}

describe('a search for words', () => {
  it('finds them in the whole text, up to its limit', async () => {
    const post = await start()
    const names = Object.keys(mails)
    for (const [n, name] of names.entries())
      await submit(post, { subject: name, ...mails[name]?.(`needle${n}z`) })
    for (const [n, name] of names.entries()) {
      const found = await post.inbox.list({ query: `needle${n}z` })
      expect([name, found.items.map(({ subject }) => subject)]).toEqual([name, [name]])
      expect(found, name).not.toHaveProperty('cut_texts')
      expect(await subjectsOf(post, `body:needle${n}z -body:unseen`)).toEqual([name])
    }
  })

  it('finds them in a long API send', async () => {
    const post = await start()
    const { id } = await post.emails.send({
      from: 'a@acme.test',
      to: 'b@x.test',
      subject: 'long',
      text: textWith('needle', 100_000),
    })
    expect((await post.inbox.list({ query: 'needle' })).items.map((mail) => mail.id)).toEqual([id])
  })

  it('says how many mails have more text than is searched, until they are removed', async () => {
    const post = await start()
    await submit(post, { subject: 'whole', text: 'needle' })
    await submit(post, { subject: 'long', text: `${textWith('inside', searchedLength)} needle` })
    await submit(post, { subject: 'grown', text: `${'ﬃ '.repeat(searchedLength / 2 - 10)} needle` })
    await submit(post, { subject: 'markup', html: html(`${'<b></b>'.repeat(160_000)} needle`) })
    expect(await cutOf(post, 'needle')).toEqual([['whole'], 3])
    expect(await cutOf(post, 'inside')).toEqual([['long'], 3])
    expect(await cutOf(post, 'subject:whole')).toEqual([['whole'], undefined])
    const [long] = (await post.inbox.list({ query: 'subject:long' })).items
    await post.inbox.remove(long?.id ?? '')
    expect(await cutOf(post, 'needle')).toEqual([['whole'], 2])
    await post.inbox.removeMatching('subject:markup')
    expect(await cutOf(post, 'needle')).toEqual([['whole'], 1])
    await post.inbox.removeAll()
    expect(await cutOf(post, 'needle')).toEqual([[], undefined])
  })
})

async function cutOf(post: Localpost, query: string): Promise<[string[], number | undefined]> {
  const { items, cut_texts } = await post.inbox.list({ query })
  return [items.map(({ subject }) => subject), cut_texts]
}

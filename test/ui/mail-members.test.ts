import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createLocalpost } from '../../src/instance/create.ts'
import { factsOf, mailMembers } from '../../ui/views/inbox/mail-members.ts'

const inFiles = Object.entries(mailMembers).flatMap(([member, place]) =>
  typeof place === 'object' ? [{ member, file: place.in }] : [],
)

describe('the members of a mail in the page', () => {
  it.each(inFiles)('$member is shown by $file', ({ member, file }) => {
    const source = readFileSync(new URL(`../../ui/views/inbox/${file}`, import.meta.url), 'utf8')
    // Read from the mail, or taken out of it.
    expect(source).toMatch(new RegExp(`[.{,]\\s*${member}\\b`))
  })

  it('are facts in words where they are short', async () => {
    await using post = await createLocalpost()
    await post.emails.send({
      from: 'hi@acme.test',
      to: 'ada@example.com',
      subject: 'Hello',
      text: 'Hi',
    })
    const mail = await post.inbox.waitFor()
    expect(factsOf(mail)).toEqual(['HTTP API', expect.stringMatching(/^\d+ B|KB$/), 'Signed by acme.test'])
  })
})

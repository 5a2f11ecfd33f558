import { beforeEach, expect, it } from 'vitest'
import type { SendMailOptions } from 'nodemailer'
import type { Localpost, MailComparison } from '../../src/index.ts'
import { start } from '../support/instance.ts'
import { submit } from '../support/submit.ts'

let post: Localpost
beforeEach(async () => {
  post = await start()
})

const base: SendMailOptions = {
  subject: 'Your code is 482913',
  text: 'Your code is 482913.',
  html: '<p>Code: <b>482913</b></p>',
}
const again: SendMailOptions = {
  subject: 'Your code is 117700',
  text: 'Your code is 117700.',
  html: '<p>Code: <b>117700</b></p>',
}
const changed = ({ sections }: MailComparison): string[] =>
  sections.filter(({ same }) => !same).map(({ name }) => name)

it('says that a mail with other codes is the same, and shows the codes on request', async () => {
  const [other, id] = [await submit(post, base), await submit(post, again)]
  expect(await post.inbox.compare(id, other)).toMatchObject({ id, other, same: true })
  const unmasked = await post.inbox.compare(id, other, { masked: false })
  expect(unmasked.same).toBe(false)
  expect(unmasked.sections.find(({ name }) => name === 'text')?.lines).toEqual([
    { kind: 'removed', text: 'Your code is 482913.' },
    { kind: 'added', text: 'Your code is 117700.' },
  ])
})

it.each<[string, SendMailOptions, string[]]>([
  ['the sender', { from: 'eve@acme.test' }, ['headers']],
  ['the text', { text: 'Hello' }, ['text']],
  ['the HTML', { html: '<h1>Hello</h1>' }, ['html']],
  ['no HTML', { html: '' }, ['structure', 'html']],
  ['an attachment', { attachments: [{ filename: 'a.txt', content: 'a' }] }, ['structure', 'attachments']],
])('names the part that differs: %s', async (_, changes, parts) => {
  const other = await submit(post, base)
  const id = await submit(post, { ...again, ...changes })
  expect(changed(await post.inbox.compare(id, other))).toEqual(parts)
})

it('finds the last mail with the subject of a mail', async () => {
  await submit(post, base)
  const wanted = await submit(post, base)
  for (let mail = 0; mail < 60; mail++)
    await submit(post, { subject: `Another ${'x'.repeat(mail)}`, text: 'x' })
  const id = await submit(post, again)
  await submit(post, base)
  expect(await post.inbox.compare(await post.inbox.get(id), 'previous')).toMatchObject({
    other: wanted,
    same: true,
  })
  await expect(
    post.inbox.compare(await submit(post, { subject: 'New', text: 'x' }), 'previous'),
  ).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('No earlier mail has the same subject as em_'),
  })
})

it('is a route', async () => {
  const [other, id] = [await submit(post, base), await submit(post, again)]
  const call = async (path: string): Promise<[status: number, body: unknown]> => {
    const answer = await post.fetch(new Request(`http://localhost/dev/inbox/${path}`))
    return [answer.status, await answer.json()]
  }
  expect(await call(`${id}/compare/${other}`)).toEqual([200, await post.inbox.compare(id, other)])
  expect(await call(`${id}/compare/previous?masked=false`)).toEqual([
    200,
    await post.inbox.compare(id, other, { masked: false }),
  ])
  expect((await call(`${id}/compare/em_none`))[0]).toBe(404)
  expect((await call(`em_none/compare/${id}`))[0]).toBe(404)
  expect((await call(`${id}/compare/${other}?masked=no`))[0]).toBe(422)
})

it('lists at most 5,000 lines of at most 2,000 characters', async () => {
  const text = `${'word '.repeat(600)}\n${Array.from({ length: 6000 }, (_, line) => `line ${line}`).join('\n')}`
  const id = await submit(post, { ...base, text })
  const { sections } = await post.inbox.compare(id, id)
  const section = sections.find(({ name }) => name === 'text')
  expect(section).toMatchObject({ same: true, clipped: true })
  expect(section?.lines).toHaveLength(5000)
  expect(section?.lines[0]?.text).toHaveLength(2000)
})

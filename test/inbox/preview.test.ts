import { afterEach, beforeEach, expect, it } from 'vitest'
import { previewClients } from '../../src/client-support/preview-clients.ts'
import type { MailPreview } from '../../src/index.ts'
import type { Localpost } from '../../src/instance/instance.ts'
import { startListening } from '../support/instance.ts'
import { submit } from '../support/submit.ts'

let post: Localpost
beforeEach(async () => {
  post = await startListening()
})
afterEach(() => post.close())

const html =
  '<p style="position:fixed;color:red">Hi</p><script>top.hit=1</script><link rel=preconnect href=//x>'

it('is the same in the library and over HTTP, for each client', async () => {
  const id = await submit(post, { html })
  const mail = await post.inbox.get(id)
  const ignoring: string[] = []
  for (const client of previewClients) {
    const preview = await post.inbox.preview(mail, { client })
    const answer = await fetch(`${post.url}/dev/inbox/${id}/preview?client=${encodeURIComponent(client)}`)
    expect((await answer.json()) as MailPreview).toEqual(preview)
    const isRemoved = preview.removed.some(({ feature }) => feature === 'css-position')
    expect(preview.html.includes('position')).toBe(!isRemoved)
    if (isRemoved) ignoring.push(client)
  }
  expect(ignoring).toEqual(expect.arrayContaining(['gmail/ios', 'outlook/windows']))
  expect(ignoring).not.toContain('apple-mail/ios')
})

it('has a frame for each client, from which nothing connects', async () => {
  const id = await submit(post, { html })
  for (const client of previewClients) {
    const answer = await fetch(`${post.url}/dev/inbox/${id}/html?client=${client}`)
    const frame = await answer.text()
    expect(frame).toContain('Hi</p>')
    expect(frame).not.toMatch(/<script|<link/)
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
  }
})

it('keeps inline images in a frame, whatever the client does with images in the HTML', async () => {
  const image = { filename: 'a.png', cid: 'logo', content: Buffer.from('png'), contentType: 'image/png' }
  const id = await submit(post, { html: '<img src="cid:logo">', attachments: [image] })
  const frame = await fetch(`${post.url}/dev/inbox/${id}/html?client=gmail/ios`)
  expect(await frame.text()).toContain('data:image/png')
})

it.each([undefined, 'gmail', 'thunderbird/macos', ''])('refuses the client %j', async (client) => {
  const id = await submit(post, { html })
  const options = { client } as unknown as { client: 'gmail/ios' }
  await expect(post.inbox.preview(id, options)).rejects.toMatchObject({
    code: 'validation_error',
    message: expect.stringContaining('The clients are gmail/desktop-webmail, '),
  })
  const query = client === undefined ? '' : `?client=${client}`
  expect((await fetch(`${post.url}/dev/inbox/${id}/preview${query}`)).status).toBe(422)
})

it('names an unknown option before it looks at the mail', async () => {
  const options = { clent: 'gmail/ios' } as unknown as { client: 'gmail/ios' }
  const [mail] = [] as string[]
  await expect(post.inbox.preview(mail as string, options)).rejects.toMatchObject({ code: 'invalid_option' })
})

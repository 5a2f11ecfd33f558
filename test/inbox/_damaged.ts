import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { open } from '../decisions/helpers.ts'
import { temporaryFolder } from '../support/folder.ts'

const nested = [
  'Subject: Inside',
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b',
  'Content-Type: text/html',
  '',
  '<p>Inside</p>',
  '--b',
  'Content-Type: text/plain; name=b.txt',
  'Content-Disposition: attachment',
  '',
  'attached inside',
  '--b--',
  '',
].join('\r\n')
const attachments = [
  { filename: 'a.txt', content: 'attached' },
  { filename: 'inside.eml', content: nested, contentType: 'message/rfc822' },
]

/** A folder with three mails: one that is whole, and two with damaged bytes. */
export async function damagedFolder(): Promise<{ dir: string; whole: string; smtp: string; api: string }> {
  const dir = temporaryFolder()
  const face = await open({ dir })
  const mail = { from: 'hi@acme.test', to: 'ada@example.com', attachments }
  const text = 'These damaged bytes are seen'
  const html = `<p>${text}</p>`
  const whole = await face.submit({ ...mail, subject: 'Whole', text: 'Good' })
  const smtp = await face.submit({ ...mail, subject: 'By SMTP', text, html })
  const path = `data:text/plain;base64,${Buffer.from('attached').toString('base64')}`
  const api = await face.send({ subject: 'By API', text, html, attachments: [{ filename: 'a.txt', path }] })
  await face.settled(api)
  await face.settled(smtp)
  await face.post.close()
  const logs = join(dir, 'log')
  for (const name of await readdir(logs)) {
    const bytes = await readFile(join(logs, name))
    for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) bytes[at + 7] = 0x21
    await writeFile(join(logs, name), bytes)
  }
  return { dir, whole, smtp, api }
}

import { readFileSync } from 'node:fs'
import { Message, SMTPClient } from 'emailjs'
import { each, port, subjectOf } from './mails.mjs'

const client = new SMTPClient({ host: '127.0.0.1', port, ssl: false, tls: false })
const base64 = (path) => readFileSync(path).toString('base64')
await each((name, { from, to, text, html, inline = [], attachments = [], calendar }) => {
  const related = inline.map(([cid, path, type]) => ({
    data: base64(path),
    encoded: true,
    type,
    name: 'logo.png',
    headers: { 'Content-ID': `<${cid}>` },
  }))
  const attachment = [
    ...(html ? [{ data: html, alternative: true, ...(related.length > 0 ? { related } : {}) }] : []),
    ...attachments.map(([file, path, type]) => ({ data: base64(path), encoded: true, type, name: file })),
    ...(calendar
      ? [
          {
            data: readFileSync(calendar, 'utf8'),
            alternative: true,
            type: 'text/calendar',
            method: 'REQUEST',
          },
        ]
      : []),
  ]
  const message = new Message({ from, to: to.join(', '), subject: subjectOf(name), text, attachment })
  return client.sendAsync(message)
})
// Its connection would keep the process.
process.exit(0)

import { readFileSync } from 'node:fs'
import { auth, credentials, each, port, setup, subjectOf, way } from './mails.mjs'

const { createTransport } = await import(setup.startsWith('nodemailer6') ? 'nodemailer-6' : 'nodemailer')
const transport = createTransport({
  host: '127.0.0.1',
  port,
  secure: way === 'smtps',
  requireTLS: way === 'starttls',
  ignoreTLS: way === 'plain',
  tls: { rejectUnauthorized: false },
  auth: credentials,
  ...(auth ? { authMethod: auth } : {}),
  ...(setup.includes('pool') ? { pool: true, maxConnections: 3, maxMessages: 2 } : {}),
})
await transport.verify()
await each((name, { from, to, text, html, inline = [], attachments = [], calendar }) =>
  transport.sendMail({
    from,
    to: to.join(', '),
    subject: subjectOf(name),
    text,
    html,
    attachments: [
      ...inline.map(([cid, path, contentType]) => ({ cid, path, filename: 'logo.png', contentType })),
      ...attachments.map(([filename, path, contentType]) => ({ filename, path, contentType })),
    ],
    ...(calendar ? { icalEvent: { method: 'REQUEST', content: readFileSync(calendar, 'utf8') } } : {}),
  }),
)
transport.close()

// Runs every command of `cypress-mailpit` against a Localpost server, with the few parts of Cypress that they use: each line
// of the output is one result. `commands.mjs` is the file of the package that has the commands.
import { createTransport } from 'nodemailer'

globalThis.Cypress = {
  expose: () => process.env.MAILPIT_URL,
  config: () => 4000,
}
globalThis.cy = {
  env: async () => ({ MAILPIT_USERNAME: 'anyone', MAILPIT_PASSWORD: process.env.LOCALPOST_API_KEY }),
  wrap: async (value) => value,
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  // As Cypress does: with the User-Agent of its browser, and failing for an error.
  async request({ method, url, qs = {}, body, auth }) {
    const address = new URL(url)
    for (const [name, value] of Object.entries(qs)) address.searchParams.set(name, String(value))
    const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)', accept: '*/*' }
    if (auth) headers.authorization = `Basic ${btoa(`${auth.user}:${auth.pass}`)}`
    if (body) headers['content-type'] = 'application/json'
    const init = { method, headers }
    if (body) init.body = JSON.stringify(body)
    const answer = await fetch(address, init)
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${address.pathname}: ${answer.status} ${text}`)
    const isJson = answer.headers.get('content-type').includes('json')
    return { status: answer.status, body: isJson ? JSON.parse(text) : text }
  },
}

const { MailpitCommands } = await import('./commands.mjs')
const commands = new MailpitCommands()
const used = new Set()
const call = (name, ...args) => {
  used.add(name)
  return commands[name](...args)
}
const show = (name, value) => console.log(JSON.stringify([name, value]))

await call('mailpitDeleteAllEmails')
const { ID } = await call('mailpitSendMail', {
  subject: 'Welcome',
  attachments: [{ Filename: 'a.txt', Content: 'YQ==', ContentType: 'text/plain' }],
})
await call('mailpitSendMail')
await createTransport(process.env.SMTP_URL).sendMail({
  from: 'smtp@example.com',
  to: 'ada@example.com',
  subject: 'By SMTP',
  text: 'x',
})
show('mailpitGetAllMails', (await call('mailpitGetAllMails')).messages.length)
const mail = await call('mailpitGetMail', ID)
show('mailpitGetMail', [mail.Subject, (await call('mailpitGetMail')).Subject])
show('mailpitSearchEmails', (await call('mailpitSearchEmails', 'hello')).messages_count)
show('mailpitGetEmailsBySubject', (await call('mailpitGetEmailsBySubject', 'Welcome')).messages_count)
show('mailpitGetEmailsByTo', (await call('mailpitGetEmailsByTo', 'ada@example.com')).messages_count)
await call('mailpitHasEmailsBySearch', 'hello')
await call('mailpitHasEmailsBySubject', 'By SMTP')
await call('mailpitHasEmailsByTo', 'jane@example.com')
await call('mailpitNotHasEmailsBySearch', 'nothing of this kind')
await call('mailpitNotHasEmailsBySubject', 'Farewell')
await call('mailpitNotHasEmailsByTo', 'nobody@example.com')
show('mailpitGetSubject', await call('mailpitGetSubject', mail))
show('mailpitGetFromAddress', await call('mailpitGetFromAddress', mail))
show('mailpitGetRecipientAddress', await call('mailpitGetRecipientAddress', mail))
show('mailpitGetAttachments', await call('mailpitGetAttachments', mail))
show('mailpitGetMailHTMlBody', await call('mailpitGetMailHTMlBody', mail))
show('mailpitGetMailTextBody', await call('mailpitGetMailTextBody', mail))
show('mailpitGetMailSpamAssassinSummary', (await call('mailpitGetMailSpamAssassinSummary', mail)).IsSpam)
await call('mailpitGetMailSpamAssainSummary', mail)
const unread = async () => (await call('mailpitGetAllMails')).unread
await call('mailpitSetStatusAsRead', mail)
show('mailpitSetStatusAsRead', await unread())
await call('mailpitSetStatusAsUnRead', [mail])
show('mailpitSetStatusAsUnRead', await unread())
await call('mailpitSetAllEmailStatusAsRead')
show('mailpitSetAllEmailStatusAsRead', await unread())
await call('mailpitSetAllEmailStatusAsUnRead')
show('mailpitSetAllEmailStatusAsUnRead', await unread())
await call('mailpitDeleteEmailsBySearch', 'subject:Welcome')
show('mailpitDeleteEmailsBySearch', (await call('mailpitGetAllMails')).total)
const all = [...MailpitCommands.parentCypressCommands, ...MailpitCommands.childCypressCommands]
show(
  'not called',
  all.filter((name) => !used.has(name)),
)

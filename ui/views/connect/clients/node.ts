import { type Client, isEncrypted, lines, mail, single } from '../place.ts'

/** Clients for Node. */
export const nodeClients: readonly Client[] = [
  {
    name: 'Node: nodemailer',
    language: 'js',
    where: null,
    code: (place) => {
      const { host, port, login, tls, ca } = place
      const trusts = isEncrypted(place) && ca !== null
      return lines(
        trusts && `import { readFileSync } from 'node:fs'`,
        `import { createTransport } from 'nodemailer'`,
        '',
        `const transport = createTransport({`,
        `  host: ${single(host)},`,
        `  port: ${port},`,
        tls === 'implicit' && `  secure: true,`,
        tls === 'starttls' && `  requireTLS: true,`,
        tls === 'refused' && `  ignoreTLS: true,`,
        trusts && `  tls: { ca: readFileSync(${single(ca)}) },`,
        login && `  auth: { user: ${single(login.user)}, pass: ${single(login.password)} },`,
        `})`,
        `await transport.sendMail({`,
        `  from: ${single(mail.from)},`,
        `  to: ${single(mail.to)},`,
        `  subject: 'From nodemailer',`,
        `  text: ${single(mail.text)},`,
        `})`,
        `transport.close()`,
      )
    },
    notes: {
      implicit: 'replace `requireTLS: true` by `secure: true`',
      refused: 'set `ignoreTLS: true`',
    },
  },
]

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { onTestFinished } from 'vitest'

/** A message as the relay received it. */
export interface Taken {
  utf8: boolean
  eightBit: boolean
  to: string[]
  message: string
}

/** A mail server that records the messages and their SMTP extensions. */
export async function openRelay(options: SMTPServerOptions = {}): Promise<{ url: string; taken: Taken[] }> {
  const taken: Taken[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, callback) {
      const pieces: Buffer[] = []
      stream
        .on('data', (piece: Buffer) => pieces.push(piece))
        .once('end', () => {
          const { mailFrom, rcptTo } = session.envelope
          const args = (mailFrom && mailFrom.args) || {}
          taken.push({
            utf8: 'SMTPUTF8' in args,
            eightBit: 'BODY' in args && args.BODY === '8BITMIME',
            to: rcptTo.map(({ address }) => address),
            message: Buffer.concat(pieces).toString('latin1'),
          })
          callback(null, '2.0.0 Taken')
        })
    },
    ...options,
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())))
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    taken,
  }
}

export const utf8 = (text: string): string => Buffer.from(text).toString('latin1')
export const messageOf = (...header: string[]): string => [...header, '', 'Hello', ''].join('\r\n')
export const common = ['From: hi@acme.test', 'To: ada@x.test', 'Subject: s']

/** Places for the rows `post accepted` and `delivered`. */
import { spawn } from 'node:child_process'
import { Readable } from 'node:stream'
import { atExit, load, replaced, root } from './versions.mjs'

/** @type {Record<string, import('../places.mjs').Place>} */
export const sendingPlaces = {
  // src/mime/compose/write-node.ts: the transfer encoding of a part is computed once, for the row `delivered`; bodies of 60 KB.
  'transfer encoding': {
    count: 20,
    async versions() {
      const message = {
        from: 'Ada <ada@acme.test>',
        to: 'bob@example.com',
        subject: 'Welcome',
        html: '<p>Héllo</p>\n'.repeat(4500),
        text: 'Hello \n'.repeat(8000),
        message_id: '<1@acme.test>',
        date: new Date(0),
      }
      const kept = await load('mime/compose/compose.ts')
      const plain = await load('mime/compose/compose.ts', {
        'mime/compose/write-node.ts': (code) =>
          replaced(code, 'node.getTransferEncoding = () => encoding', ''),
      })
      return { kept: () => kept.composeMessage(message), plain: () => plain.composeMessage(message) }
    },
  },
  // src/outbox/smtp-pool.ts: a mail is given to nodemailer's pool directly, for the row `delivered`.
  pool: {
    count: 100,
    async versions() {
      const { port, stop } = await startSink()
      const kept = await load('outbox/transport.ts')
      const plain = await load('outbox/transport.ts', {
        'outbox/smtp-pool.ts': (code) => replaced(code, 'if (![envelope.from', 'if (mail || ![envelope.from'),
      })
      const send = ({ createTransport: open }) => {
        const transport = open({
          host: '127.0.0.1',
          port,
          plain: true,
          hostname: 'localhost',
          maxConnections: 5,
        })
        const raw = Buffer.from(`Subject: Welcome\r\n\r\n${'Hello\r\n'.repeat(300)}`)
        return async () => {
          const replies = await transport.deliver({
            id: 'em_1',
            mail_from: 'ada@acme.test',
            rcpt_to: ['bob@example.com'],
            message: Readable.from([raw], { objectMode: false }),
          })
          if (replies.get('bob@example.com')?.reply_code !== 250) throw new Error('The sink refused a mail.')
        }
      }
      return { kept: send(kept), plain: send(plain), end: stop }
    },
  },
}

/** An SMTP server in a process of its own, so that only the sender counts. */
async function startSink() {
  const code = `
    const { SMTPServer } = require('smtp-server')
    const server = new SMTPServer({
      authOptional: true, logger: false, disabledCommands: ['STARTTLS', 'AUTH'],
      onData(stream, _session, done) { stream.resume().on('end', () => done()) },
    })
    server.listen(0, '127.0.0.1', () => console.log(server.server.address().port))`
  const child = spawn(process.execPath, ['-e', code], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  atExit(() => child.kill())
  const port = Number(await new Promise((resolve) => child.stdout.once('data', resolve)))
  return { port, stop: () => child.kill() }
}

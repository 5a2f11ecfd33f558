/**
 * Measures each hand-optimised place in the sources against its plain version: `node bench/places.mjs [--only=name]`.
 *
 * Both versions run in turn in one process. The table shows the CPU time of this process for each, as the median of the
 * rounds. A place is not kept if it saves less than 3 % of the benchmark row that it is for.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { rolldown } from 'rolldown'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { values: flags } = parseArgs({ options: { only: { type: 'string', default: '' } } })

/** @type {Record<string, { count: number, versions(): Promise<{ kept(): unknown, plain(): unknown, end?(): void }> }>} */
const places = {
  // src/emails/plain-values.ts: members of a send that need no schema, for the row `post accepted`.
  'plain values': {
    count: 5000,
    async versions() {
      const request = {
        from: 'Ada <ada@acme.test>',
        to: 'bob@example.com',
        subject: 'Welcome',
        html: '<p>Hello</p>'.repeat(20),
        text: 'Hello '.repeat(20),
      }
      const kept = await load('emails/members.ts')
      const plain = await load('emails/members.ts', {
        'emails/plain-values.ts': () => 'export const plainReader = () => () => undefined',
      })
      return { kept: () => kept.readMembers(request, []), plain: () => plain.readMembers(request, []) }
    },
  },
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
  // src/outbox/transport.ts: a mail is given to nodemailer's pool directly, for the row `delivered`.
  pool: {
    count: 100,
    async versions() {
      const { port, stop } = await startSink()
      const kept = await load('outbox/transport.ts')
      const plain = await load('outbox/transport.ts', {
        'outbox/transport.ts': (code) => replaced(code, 'if (![envelope.from', 'if (mail || ![envelope.from'),
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

await main()

async function main() {
  console.log('| place | kept, µs | plain, µs | kept / plain |\n|---|---|---|---|')
  for (const [name, { count, versions }] of Object.entries(places)) {
    if (!name.includes(flags.only)) continue
    const { kept, plain, end } = await versions()
    const times = { kept: [], plain: [] }
    for (let round = 0; round < 40; round++) {
      for (const [side, run] of round % 2 ? Object.entries({ kept, plain }) : Object.entries({ plain, kept }))
        times[side].push(await cpuOf(run, count))
    }
    end?.()
    const [a, b] = [median(times.kept), median(times.plain)]
    console.log(`| ${name} | ${a.toFixed(2)} | ${b.toFixed(2)} | ${(a / b).toFixed(2)} |`)
  }
  // The pools keep their connections open.
  process.exit()
}

async function cpuOf(run, count) {
  const before = process.cpuUsage()
  for (let i = 0; i < count; i++) await run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / count
}

/** The first rounds are not counted, because V8 compiles the code in them. */
function median(times) {
  const sorted = times.slice(10).sort((a, b) => a - b)
  return sorted[sorted.length >> 1]
}

/** Loads a module of `src`. @param changes  Other code for some of its modules. */
async function load(path, changes = {}) {
  mkdirSync(join(root, 'node_modules/.cache'), { recursive: true })
  const folder = mkdtempSync(join(root, 'node_modules/.cache/places-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const left = new Set(Object.keys(changes))
  const change = {
    name: 'change',
    load(id) {
      const name = Object.keys(changes).find((one) => id === join(root, 'src', one))
      if (!name) return null
      left.delete(name)
      return { code: changes[name](readFileSync(id, 'utf8')), moduleType: 'ts' }
    },
  }
  const input = join(root, 'src', path)
  const build = await rolldown({ input, platform: 'node', plugins: [change], onLog() {} })
  const { output } = await build.write({ dir: folder, format: 'es' })
  await build.close()
  if (left.size > 0) throw new Error(`${path} does not load ${[...left].join(', ')}.`)
  return import(pathToFileURL(join(folder, output[0].fileName)).href)
}

function replaced(code, from, to) {
  if (!code.includes(from)) throw new Error(`The place is gone: ${from}`)
  return code.replace(from, to)
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
  process.on('exit', () => child.kill())
  const port = Number(await new Promise((resolve) => child.stdout.once('data', resolve)))
  return { port, stop: () => child.kill() }
}

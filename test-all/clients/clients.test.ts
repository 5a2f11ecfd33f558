import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLocalpost, type Localpost } from '../../src/index.ts'
import { run } from '../run.ts'
import { type Captured, differences } from './compare.ts'
import { type Kind, writeKinds } from './kinds.ts'
import { compileMs, missingOf, programs } from './programs.ts'
import { openRecorder, type Recorder } from './recorder.ts'
import { kindsOf, type Setup, table } from './setups.ts'

const folder = mkdtempSync(join(tmpdir(), 'localpost-clients-'))
let kinds: Record<string, Kind>
/** As it is without options; and one that offers TLS and requires credentials. */
let open: Localpost
let secure: Localpost
let recorder: Recorder

beforeAll(async () => {
  kinds = writeKinds(folder)
  open = await createLocalpost()
  await open.listen()
  secure = await createLocalpost({ smtpTls: true, smtpsPort: 0, smtpAuth: 'required' })
  await secure.listen()
  recorder = await openRecorder(open.smtp.port)
})
afterAll(async () => {
  recorder?.close()
  await open?.close()
  await secure?.close()
  rmSync(folder, { recursive: true, force: true })
})

const instanceOf = ({ way }: Setup): Localpost => (way === 'plain' || way === 'default' ? open : secure)
const portOf = ({ way }: Setup): number =>
  way === 'smtps' ? (secure.smtps?.port ?? 0) : way === 'starttls' ? secure.smtp.port : recorder.port

/** The folder for the files of a set-up. */
const outOf = ({ name }: Setup): string => join(folder, name.replaceAll('/', '-'))

async function get(post: Localpost, path: string): Promise<Response> {
  const headers = { authorization: `Bearer ${post.apiKey}` }
  const response = await post.fetch(new Request(`http://localhost/dev/inbox${path}`, { headers }))
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return response
}
const bytesOf = async (post: Localpost, path: string): Promise<Buffer> =>
  Buffer.from(await (await get(post, path)).arrayBuffer())

/** The mails of a set-up, by kind, with what stands before the subject taken away. */
async function captured(setup: Setup): Promise<Map<string, Captured[]>> {
  const post = instanceOf(setup)
  const mails = new Map<string, Captured[]>()
  for (let cursor: string | null = ''; cursor !== null;) {
    const page = (await (await get(post, `?limit=500&cursor=${cursor}`)).json()) as {
      emails: { id: string; subject: string }[]
      cursor: string | null
    }
    for (const { id, subject } of page.emails) {
      const name = kindsOf(setup, kinds).find(([one]) => subject.startsWith(`[${setup.name}/${one}] `))?.[0]
      if (name === undefined) continue
      const mail = (await (await get(post, `/${id}`)).json()) as Captured
      const own = { ...mail, subject: mail.subject.slice(`[${setup.name}/${name}] `.length) }
      mails.set(name, [...(mails.get(name) ?? []), own])
    }
    cursor = page.cursor
  }
  return mails
}

/** Runs the program of a set-up; returns what the client said instead of sending, by kind. */
async function send(setup: Setup, command: readonly [string, ...string[]]): Promise<Record<string, string>> {
  const out = outOf(setup)
  mkdirSync(out, { recursive: true })
  for (const file of ['all.bin', 'report.txt']) copyFileSync(join(folder, file), join(out, file))
  const env = {
    PORT: String(portOf(setup)),
    WAY: setup.way,
    AUTH: setup.auth,
    PASSWORD: instanceOf(setup).apiKey,
    SETUP: setup.name,
    KINDS: join(folder, 'kinds.json'),
    OUT: out,
  }
  if (command.at(-1)?.endsWith('command.sh')) {
    const writer = join(import.meta.dirname, 'programs/write_eml.py')
    await run('python3', [writer], { cwd: folder, env })
  }
  const [program, ...args] = command
  const output = await run(program, args, { cwd: folder, env })
  return Object.fromEntries(
    output.split('\n').flatMap((line) => (line.includes('\t') ? [line.split('\t') as [string, string]] : [])),
  )
}

/** What is wrong with each kind of a set-up. */
async function wrong(
  setup: Setup,
  command: readonly [string, ...string[]],
): Promise<Record<string, string[]>> {
  const post = instanceOf(setup)
  const refused = await send(setup, command)
  const mails = await captured(setup)
  const found: Record<string, string[]> = {}
  for (const [name, kind] of kindsOf(setup, kinds)) {
    const [mail, ...more] = mails.get(name) ?? []
    const said = refused[name] === undefined ? [] : [`the client says: ${refused[name]}`]
    const read = (index: number): Promise<Buffer> => bytesOf(post, `/${mail?.id ?? ''}/attachments/${index}`)
    const differ = mail === undefined ? ['it did not arrive'] : await differences(kind, mail, read)
    const twice = more.length > 0 ? [`it arrived ${more.length + 1} times`] : []
    const unlike = mail === undefined ? [] : await changedBytes(setup, name, mail.id, command)
    if ([...said, ...differ, ...twice, ...unlike].length > 0)
      found[name] = [...said, ...differ, ...twice, ...unlike]
  }
  return found
}

/** The stored bytes must be those of the recorder, or of the file that the program sent. */
async function changedBytes(
  setup: Setup,
  name: string,
  id: string,
  command: readonly string[],
): Promise<string[]> {
  const raw = (await bytesOf(instanceOf(setup), `/${id}/raw`)).toString('latin1')
  if (portOf(setup) === recorder.port && !recorder.messages().includes(raw))
    return ['its bytes are not those that were sent']
  if (!command.at(-1)?.endsWith('command.sh')) return []
  const file = readFileSync(join(outOf(setup), `${name}.eml`), 'latin1')
  return raw === file || raw === `${file}\r\n` ? [] : ['its bytes are not those of the file']
}

describe.each([...new Set(table.map(({ program }) => program))])('the set-ups of %s', (name) => {
  const program = programs[name]
  if (!program) throw new Error(`There is no program ${name}.`)
  const missing = missingOf(program)
  const own = table.filter((setup) => setup.program === name)
  if (missing.length > 0) {
    const names = own.map((setup) => setup.name).join(', ')
    process.stderr.write(
      `SKIPPED: ${names} need ${missing.join(', ')} (Debian, Ubuntu: sudo apt-get install ${missing.join(' ')}).\n`,
    )
    it.skip.each(own)(`$name (needs ${missing.join(', ')})`, () => undefined)
    return
  }
  let command: readonly [string, ...string[]]
  beforeAll(async () => {
    command = await program.prepare()
  }, compileMs)

  it.each(own)('$name: what is captured is what it sent', async (setup) => {
    const found = await wrong(setup, command)
    const unexpected = Object.entries(found).filter(([kind]) => !(kind in setup.differs))
    expect(Object.fromEntries(unexpected)).toEqual({})
    // A newer client may send what an older one did not: then the table says too much.
    expect(Object.keys(found).toSorted()).toEqual(Object.keys(setup.differs).toSorted())
  })
})

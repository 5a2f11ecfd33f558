import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { isLong } from '../support/long.ts'
import { findOnPath, hasPrograms, type packages } from '../support/programs.ts'
import type { Place } from '../../ui/views/connect/place.ts'
import { root } from './blocks.ts'
import { type Run, run } from './run.ts'

/** How the code of a client is run. */
export interface Runner {
  /** The file that gets the code. */
  file: string
  /** Why it cannot run on this machine; null where it can. */
  lack(tls: Place['tls']): Promise<string | null>
  /** @param ca  The file to trust, for a client whose code cannot name it. */
  command(ca: string): Promise<readonly string[]>
  /** Other files beside it. */
  files?: Readonly<Record<string, string>>
}

const phpMailer = '/usr/share/php/libphp-phpmailer/autoload.php'
const symfony = '/usr/share/php/Symfony/Component/Mailer/autoload.php'
const jars = ['/usr/share/java/jakarta-mail.jar', '/usr/share/java/jakarta-activation.jar'] as const

type Needed = keyof typeof packages | 'go' | 'java'

/** The series in full installs what is missing, where that is permitted. */
const needs =
  (...names: readonly Needed[]) =>
  async (): Promise<string | null> => {
    const missing = (): string[] => names.filter((name) => findOnPath(name) === undefined)
    const known = names.filter((name) => name !== 'go' && name !== 'java')
    if (isLong && missing().length > 0) hasPrograms('the guide to clients', known)
    return missing().length === 0 ? null : `${missing().join(', ')} is not on this machine.`
  }

/** Debian's mail gem and Symfony are older than what they need to refuse STARTTLS. */
const refusesWith =
  (command: readonly string[], ...names: readonly Needed[]): Runner['lack'] =>
  async (tls) => {
    const missing = await needs(...names)()
    if (missing !== null || tls !== 'refused') return missing
    const [program = '', ...args] = command
    const { status } = await run(program, args, { cwd: root })
    return status === 0 ? null : 'The version on this machine cannot refuse STARTTLS.'
  }
const rubyMail = refusesWith(
  ['ruby', '-e', "require 'mail'; exit Gem::Version.new(Mail::VERSION.version) >= Gem::Version.new('2.8')"],
  'ruby',
  '/usr/share/doc/ruby-mail',
)

/** The Python that has a module: that of the PATH, or that of the system. */
async function pythonWith(module: string): Promise<string | null> {
  for (const python of ['python3', '/usr/bin/python3']) {
    const probe = await run(python, ['-c', `import ${module}`], { cwd: root }).catch(() => null)
    if (probe?.status === 0) return python
  }
  return null
}

const python = (module: string, ...args: readonly string[]): Pick<Runner, 'lack' | 'command'> => ({
  async lack() {
    if (await pythonWith(module)) return null
    const folder = `/usr/lib/python3/dist-packages/${module}`
    if (module === 'django' || module === 'aiosmtplib') await needs(folder as keyof typeof packages)()
    return (await pythonWith(module)) ? null : `Python has no module ${module} on this machine.`
  },
  command: async () => [(await pythonWith(module)) ?? 'python3', ...args],
})

const always = async (): Promise<null> => null
const sendWithDjango = `import os, django
os.environ["DJANGO_SETTINGS_MODULE"] = "settings"
django.setup()
from django.core.mail import send_mail
send_mail("From Django", "Hello", "app@acme.test", ["ada@example.com"])`
const sendWithRails = `require 'mail'
require 'ostruct'
config = OpenStruct.new(action_mailer: OpenStruct.new)
eval(File.read('development.rb'))
Mail.defaults { delivery_method config.action_mailer.delivery_method, config.action_mailer.smtp_settings }
Mail.deliver { from 'app@acme.test'; to 'ada@example.com'; subject 'From Rails'; body 'Hello' }`
const sendWithSymfony = `<?php
require '${symfony}';
$dsn = substr(trim(file_get_contents('.env')), strlen('MAILER_DSN='));
$message = (new Symfony\\Component\\Mime\\Email())->from('app@acme.test')->to('ada@example.com')->subject('From Symfony')->text('Hello');
(new Symfony\\Component\\Mailer\\Mailer(Symfony\\Component\\Mailer\\Transport::fromDsn($dsn)))->send($message);`

/** By the name of the client. Those that are missing have no runtime of their own here. */
export const runners: Readonly<Record<string, Runner>> = {
  fetch: { file: 'send.mjs', lack: always, command: async () => [process.execPath, 'send.mjs'] },
  curl: { file: 'send.sh', lack: needs('curl'), command: async () => ['bash', 'send.sh'] },
  'Node: nodemailer': { file: 'send.mjs', lack: always, command: async () => [process.execPath, 'send.mjs'] },
  'Python: smtplib': { file: 'send.py', ...python('smtplib', 'send.py') },
  'Python: aiosmtplib': { file: 'send.py', ...python('aiosmtplib', 'send.py') },
  Django: { file: 'settings.py', ...python('django', '-c', sendWithDjango) },
  'Go: net/smtp': {
    file: 'main.go',
    lack: needs('go'),
    command: async () => ['go', 'run', 'main.go'],
  },
  'Ruby: mail': {
    file: 'send.rb',
    lack: rubyMail,
    command: async () => ['ruby', 'send.rb'],
  },
  Rails: {
    file: 'development.rb',
    lack: rubyMail,
    command: async () => ['ruby', '-e', sendWithRails],
  },
  'PHP: PHPMailer': {
    file: 'send.php',
    lack: needs('php', phpMailer),
    files: { 'vendor/autoload.php': `<?php require '${phpMailer}';` },
    command: async () => ['php', 'send.php'],
  },
  Symfony: {
    file: '.env',
    lack: refusesWith(
      ['grep', '-q', 'auto_tls', `${dirname(symfony)}/Transport/Smtp/EsmtpTransportFactory.php`],
      'php',
      symfony,
    ),
    files: { 'send.php': sendWithSymfony },
    command: async (ca) => ['php', '-d', `openssl.cafile=${ca}`, '-d', 'error_reporting=0', 'send.php'],
  },
  'Java: Jakarta Mail': {
    file: 'Send.java',
    lack: needs('java', ...jars),
    command: async () => ['java', '-cp', jars.join(':'), 'Send.java'],
  },
  'A shell: swaks': { file: 'send.sh', lack: needs('swaks'), command: async () => ['bash', 'send.sh'] },
}

/** A folder for a whole file of tests. */
export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'localpost-client-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** Runs the code of a client in a folder of its own. */
export async function runClient(
  { file, files = {}, command }: Runner,
  code: string,
  ca: string,
): Promise<Run> {
  const { path: dir, remove } = temporaryFolder()
  try {
    mkdirSync(join(dir, 'node_modules'))
    symlinkSync(join(root, 'node_modules/nodemailer'), join(dir, 'node_modules/nodemailer'))
    for (const [name, content] of Object.entries({ ...files, [file]: `${code}\n` })) {
      mkdirSync(dirname(join(dir, name)), { recursive: true })
      writeFileSync(join(dir, name), content)
    }
    const [program = '', ...args] = await command(ca)
    return await run(program, args, { cwd: dir, env: { GOFLAGS: '-mod=mod', GOPROXY: 'off' } })
  } finally {
    remove()
  }
}

import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { findOnPath, installIfPossible } from '../../test/support/programs.ts'
import { run } from '../run.ts'
import { cache, npmWith, pythonWith } from '../tools.ts'

/** How the set-ups of one program are run. */
export interface Program {
  /** Files or programs that must exist, with their Debian packages. */
  needs: readonly (readonly [path: string, debian: string])[]
  /** Installs what comes from a registry and compiles; returns what is run. */
  prepare(): Promise<readonly [string, ...string[]]>
}

/** The first time, compilers download and compile all packages. */
export const compileMs = 600_000

const sources = join(import.meta.dirname, 'programs')
const source = (name: string): string => join(sources, name)

/** Copies a folder of sources into the cache, where its compiler keeps what it makes. */
function copied(name: string): string {
  const folder = join(cache, `clients-${name}`)
  mkdirSync(folder, { recursive: true })
  cpSync(source(name), folder, { recursive: true })
  return folder
}

const python3 = ['python3', 'python3'] as const
const python = (file: string, packages: readonly string[] = []): Program => ({
  needs: [python3],
  prepare: async () => {
    const bin = packages.length === 0 ? '' : await pythonWith(file, packages)
    return [join(bin, packages.length === 0 ? 'python3' : 'python'), source(`${file}_.py`)]
  },
})

const node = (file: string): Program => ({
  needs: [['node', 'nodejs']],
  async prepare() {
    const packages = ['nodemailer@10.6.1', 'nodemailer-6@npm:nodemailer@6.9.8', 'emailjs@5.0.3']
    const folder = await npmWith('clients', packages)
    for (const name of [file, 'mails.mjs']) cpSync(source(name), join(folder, name))
    return ['node', join(folder, file)]
  },
})

const command = (name: string, script = 'command.sh'): Program => ({
  needs: [['bash', 'bash'], [name, name], python3],
  prepare: async () => ['bash', source(script)],
})

const perl = '/usr/share/perl5/Email'

/** The programs, by their names in the table of set-ups. */
export const programs: Readonly<Record<string, Program>> = {
  smtplib: python('smtplib'),
  aiosmtplib: python('aiosmtplib', ['aiosmtplib==5.1.3']),
  django: python('django', ['django==5.2.19']),
  'flask-mail': python('flask_mail', ['flask==3.1.3', 'flask-mail==0.10.0']),
  redmail: python('redmail', ['redmail==0.6.0']),
  nodemailer: node('nodemailer.mjs'),
  emailjs: node('emailjs.mjs'),
  'email-sender': {
    needs: [
      ['/usr/bin/perl', 'perl'],
      [`${perl}/Sender.pm`, 'libemail-sender-perl'],
      [`${perl}/MIME.pm`, 'libemail-mime-perl'],
      ['/usr/share/perl5/IO/Socket/SSL.pm', 'libio-socket-ssl-perl'],
      ['/usr/share/perl5/Authen/SASL.pm', 'libauthen-sasl-perl'],
    ],
    prepare: async () => ['/usr/bin/perl', source('email_sender.pl')],
  },
  symfony: {
    needs: [
      ['php', 'php-cli'],
      ['/usr/share/php/Symfony/Component/Mailer/autoload.php', 'php-symfony-mailer'],
    ],
    prepare: async () => ['php', source('symfony.php')],
  },
  phpmailer: {
    needs: [
      ['php', 'php-cli'],
      ['/usr/share/php/libphp-phpmailer/autoload.php', 'libphp-phpmailer'],
    ],
    prepare: async () => ['php', source('phpmailer.php')],
  },
  'mail-gem': {
    needs: [
      ['ruby', 'ruby'],
      ['/usr/share/rubygems-integration/all/specifications', 'ruby-mail'],
    ],
    prepare: async () => ['ruby', source('mail.rb')],
  },
  go: {
    needs: [['go', 'golang-go']],
    async prepare() {
      const cwd = copied('go')
      await run('go', ['mod', 'tidy'], { cwd, env: { GOFLAGS: '-mod=mod' } })
      await run('go', ['build', '-o', 'clients', '.'], { cwd })
      return [join(cwd, 'clients')]
    },
  },
  rust: {
    needs: [
      ['cargo', 'cargo'],
      ['/usr/include/openssl/ssl.h', 'libssl-dev'],
      ['pkg-config', 'pkg-config'],
    ],
    async prepare() {
      const cwd = copied('rust')
      await run('cargo', ['build', '--quiet'], { cwd, timeoutMs: compileMs })
      return [join(cwd, 'target/debug/clients')]
    },
  },
  java: {
    needs: [
      ['javac', 'default-jdk-headless'],
      ['mvn', 'maven'],
    ],
    async prepare() {
      const cwd = copied('java')
      const classpath = ['dependency:build-classpath', '-Dmdep.outputFile=classpath']
      await run('mvn', ['--quiet', '--batch-mode', 'compile', ...classpath], { cwd, timeoutMs: compileMs })
      return ['sh', '-c', `exec java -cp "${cwd}/target/classes:$(cat '${cwd}/classpath')" Send`]
    },
  },
  msmtp: command('msmtp'),
  curl: command('curl'),
  swaks: command('swaks'),
  mutt: command('mutt', 'agent.sh'),
  's-nail': command('s-nail', 'agent.sh'),
}

/** What a program lacks, after an installation where that is permitted: the names of Debian packages. */
export function missingOf({ needs }: Program): string[] {
  const find = (path: string): string | undefined => (existsSync(path) ? path : findOnPath(path))
  return needs
    .filter(([path, debian]) => installIfPossible(debian, () => find(path)) === undefined)
    .map(([, debian]) => debian)
}

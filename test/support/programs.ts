import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, dirname, isAbsolute, join } from 'node:path'

/** The path of a program, if it is installed; of a file, if it exists. */
export function findOnPath(name: string): string | undefined {
  if (isAbsolute(name)) return existsSync(name) ? name : undefined
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

/** The Debian packages of the programs that tests run, besides those of each POSIX system. */
export const packages = {
  '/usr/lib/python3/dist-packages/aiosmtplib': 'python3-aiosmtplib',
  '/usr/lib/python3/dist-packages/django': 'python3-django',
  '/usr/share/doc/ruby-mail': 'ruby-mail',
  '/usr/share/java/jakarta-activation.jar': 'libjakarta-mail-java',
  '/usr/share/java/jakarta-mail.jar': 'libjakarta-mail-java',
  '/usr/share/java/junit-platform-console.jar': 'junit5',
  '/usr/share/php/Symfony/Bundle/FrameworkBundle/autoload.php': 'php-symfony-framework-bundle',
  '/usr/share/php/Symfony/Component/Dotenv/autoload.php': 'php-symfony-dotenv',
  '/usr/share/php/Symfony/Component/HttpClient/autoload.php': 'php-symfony-http-client',
  '/usr/share/php/Symfony/Component/Mailer/Bridge/Amazon/autoload.php': 'php-symfony-amazon-mailer',
  '/usr/share/php/Symfony/Component/Mailer/Bridge/Mailgun/autoload.php': 'php-symfony-mailgun-mailer',
  '/usr/share/php/Symfony/Component/Mailer/Bridge/Postmark/autoload.php': 'php-symfony-postmark-mailer',
  '/usr/share/php/Symfony/Component/Mailer/Bridge/Sendgrid/autoload.php': 'php-symfony-sendgrid-mailer',
  '/usr/share/php/Symfony/Component/Mailer/autoload.php': 'php-symfony-mailer',
  '/usr/share/php/Symfony/Component/Yaml/autoload.php': 'php-symfony-yaml',
  '/usr/share/php/libphp-phpmailer/autoload.php': 'libphp-phpmailer',
  curl: 'curl',
  dpkg: 'dpkg',
  flock: 'util-linux',
  haproxy: 'haproxy',
  hostname: 'hostname',
  losetup: 'mount',
  'mkfs.ext4': 'e2fsprogs',
  mount: 'mount',
  nginx: 'nginx',
  perl: 'perl',
  php: 'php-cli',
  python3: 'python3',
  rspamd: 'rspamd',
  rspec: 'ruby-rspec',
  ruby: 'ruby',
  script: 'bsdutils',
  spamd: 'spamd',
  swaks: 'swaks',
  unshare: 'util-linux',
} as const

// Installing one of these starts a server on port 80.
const startServers: readonly string[] = ['haproxy', 'nginx']

/** A program that tests cannot do without. */
export interface Program {
  /** Its Debian package. */
  name: string
  /** The subject of the tests that need it. */
  tests: string
  find(): string | undefined
  /** An alternative, as the end of a sentence. */
  otherwise?: string
}

/**
 * Makes sure that a program is installed. Installs it only with TEST_INSTALL=1, as root on Debian or Ubuntu.
 *
 * @returns Its path.
 * @throws Error that says what to install and how, if it is missing.
 */
export function ensureProgram({ name, tests, find, otherwise = '' }: Program): string {
  const there = find()
  if (there !== undefined) return there
  installWherePermitted([name])
  const installed = find()
  if (installed !== undefined) return installed
  throw new Error(
    `The tests of ${tests} need ${name}. Install it (Debian, Ubuntu: sudo apt-get install ${name})${otherwise}. ` +
      `${consent} \`npm test -- --project unit\` runs the tests that need no such program.`,
  )
}

/** The path of a program that makes tests faster. Installs it like {@link ensureProgram}; undefined if it is missing. */
export function installIfPossible(
  name: string,
  find: () => string | undefined = () => findOnPath(name),
): string | undefined {
  if (find() === undefined) {
    try {
      installWherePermitted([name])
    } catch {
      // Not each distribution has a package of that name.
    }
  }
  return find()
}

/**
 * Whether the programs are installed that some tests need; without them the tests are skipped. Installs them like
 * {@link ensureProgram}. If some are missing, a line says what is skipped and what to install.
 *
 * @param tests  What these tests are about.
 */
export function hasPrograms(tests: string, names: readonly (keyof typeof packages)[]): boolean {
  const missing = names.filter((name) => findOnPath(name) === undefined)
  if (missing.length === 0) return true
  const wanted = [...new Set(missing.map((name) => packages[name]))]
  const mayInstall = !missing.some((name) => startServers.includes(name))
  if (mayInstall) installWherePermitted(wanted)
  if (names.every((name) => findOnPath(name) !== undefined)) return true
  process.stderr.write(
    `SKIPPED: the tests of ${tests} need ${missing.join(', ')} ` +
      `(Debian, Ubuntu: sudo apt-get install ${wanted.join(' ')}). ` +
      `${mayInstall ? consent : 'TEST_INSTALL=1 does not install them, since the packages start servers.'}\n`,
  )
  return false
}

/**
 * The folder with the programs of a Debian package whose installation would start a server: the package is unpacked, not
 * installed. Where that is not permitted, and they are not installed, the tests are skipped, and a line says so.
 *
 * @param tests  What these tests are about.
 * @returns null without them.
 */
export function unpackPrograms(tests: string, name: string, programs: readonly string[]): string | null {
  const installed = findOnPath(programs[0] ?? '')
  if (installed !== undefined && programs.every((program) => findOnPath(program) !== undefined))
    return dirname(installed)
  const folder = join(homedir(), '.cache/localpost-test-all', `debian-${name}`)
  const bin = join(folder, 'usr/bin')
  const isThere = (): boolean => programs.every((program) => existsSync(join(bin, program)))
  if (!isThere() && mayInstall()) {
    process.stderr.write(`localpost: TEST_INSTALL=1: unpacking ${name} into ${folder}\n`)
    mkdirSync(folder, { recursive: true })
    const options = { cwd: folder, stdio: ['ignore', 2, 2] as ['ignore', number, number] }
    aptGet(['update', '-qq'])
    execFileSync('apt-get', ['download', '-qq', name], options)
    for (const file of readdirSync(folder).filter((one) => one.endsWith('.deb')))
      execFileSync('dpkg', ['-x', file, '.'], options)
  }
  if (isThere()) return bin
  process.stderr.write(
    `SKIPPED: the tests of ${tests} need ${programs.join(', ')} of the package ${name}. ${consent}\n`,
  )
  return null
}

const consent = 'With TEST_INSTALL=1 the tests install it with apt-get, as root on Debian or Ubuntu.'

function installWherePermitted(names: readonly string[]): void {
  if (!mayInstall()) return
  process.stderr.write(`localpost: TEST_INSTALL=1: installing ${names.join(', ')} with apt-get\n`)
  aptGet(['update', '-qq'])
  aptGet(['install', '-y', '-qq', '--no-install-recommends', ...names])
}

function mayInstall(): boolean {
  return (
    process.env['TEST_INSTALL'] === '1' && process.getuid?.() === 0 && findOnPath('apt-get') !== undefined
  )
}

function aptGet(args: readonly string[]): void {
  // At this run level packages start no servers.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  const wait = ['-o', 'DPkg::Lock::Timeout=300']
  // Test files run in several processes, and `apt-get update` fails while another one runs.
  const lock = join(tmpdir(), 'localpost-apt.lock')
  execFileSync('flock', [lock, 'apt-get', ...wait, ...args], { env, stdio: ['ignore', 2, 2] })
}

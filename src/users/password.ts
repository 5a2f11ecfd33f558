import { randomBytes, scrypt, type ScryptOptions, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { createJobQueue } from '../core/job-queue.ts'
import { systemClock } from '../core/clock.ts'

/** Hashes and checks passwords with scrypt, off the event loop. */
export interface Passwords {
  /** @returns A hash with its parameters and a new salt, as {@link isPasswordHash} takes it. */
  hash(password: string): Promise<string>
  /** Compares in constant time, also with null, which never matches. @throws service_unavailable when too many calls wait. */
  matches(password: string, hash: string | null): Promise<boolean>
}

/** Runs two hashes at a time, because each takes 32 MB and a thread of the pool that also reads files. */
export function createPasswords(): Passwords {
  const queue = createJobQueue(systemClock, 2, 20)
  const derive = (password: string, { salt, cost, blockSize }: Omit<Parsed, 'hash'>): Promise<Buffer> => {
    const options = { N: 2 ** cost, r: blockSize, p: 1, maxmem: 256 * 2 ** cost * blockSize }
    return queue.run(() => deriveKey(password.normalize('NFC'), salt, keyBytes, options), patienceMs)
  }
  // Random bytes instead of a hash: no password matches them.
  const unmatched: Parsed = { ...standard, salt: randomBytes(16), hash: randomBytes(keyBytes) }
  return {
    async hash(password) {
      const salt = randomBytes(16)
      const key = await derive(password, { ...standard, salt })
      return `$scrypt$ln=${standard.cost},r=${standard.blockSize},p=1$${toText(salt)}$${toText(key)}`
    },
    async matches(password, hash) {
      const known = hash === null ? null : parseHash(hash)
      const wanted = known ?? unmatched
      const key = await derive(password, wanted)
      return timingSafeEqual(key, wanted.hash) && known !== null
    },
  }
}

/** Whether a text is a hash of {@link Passwords.hash} with acceptable cost parameters. */
export function isPasswordHash(text: string): boolean {
  return parseHash(text) !== null
}

/** The shortest password, in characters, and the longest, in bytes. */
export const passwordLimits = { minChars: 8, maxBytes: 1024 } as const

interface Parsed {
  /** The logarithm of N to the base 2. */
  cost: number
  blockSize: number
  salt: Buffer
  hash: Buffer
}

const standard = { cost: 15, blockSize: 8 } as const
const keyBytes = 32
const deriveKey: (password: string, salt: Buffer, length: number, options: ScryptOptions) => Promise<Buffer> =
  promisify(scrypt)
const patienceMs = 10_000

// The PHC string format: https://github.com/P-H-C/phc-string-format
function parseHash(text: string): Parsed | null {
  const [, ln, r, salt = '', hash = ''] = form.exec(text) ?? []
  const cost = Number(ln)
  const blockSize = Number(r)
  const parsed = { cost, blockSize, salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') }
  const isUsable = cost >= 14 && cost <= 17 && blockSize >= 8 && blockSize <= 16
  return isUsable && parsed.hash.length === keyBytes ? parsed : null
}

const form = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=1\$([A-Za-z\d+/]{22,86})\$([A-Za-z\d+/]{43})$/

function toText(bytes: Buffer): string {
  return bytes.toString('base64').replace(/={1,2}$/, '')
}

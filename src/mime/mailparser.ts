import { createRequire } from 'node:module'
import { setImmediate as nextTurn } from 'node:timers/promises'

type Mailparser = typeof import('mailparser')

let loading: Promise<Mailparser> | undefined

/**
 * Gives mailparser, loaded when it is first asked for. With all that it brings it takes 50 ms, and the double under
 * load: it is loaded piece by piece, so that nobody else waits as long.
 */
export function loadMailparser(): Promise<Mailparser> {
  return (loading ??= load())
}

async function load(): Promise<Mailparser> {
  const require = createRequire(createRequire(import.meta.url).resolve('mailparser'))
  for (const name of parts) {
    require(name)
    await nextTurn()
  }
  return import('mailparser')
}

/** What mailparser requires itself, as far as it takes time, each after what it requires. */
const parts = [
  'encoding-japanese',
  'iconv-lite',
  'libmime',
  '@zone-eu/mailsplit',
  'html-to-text',
  'nodemailer/lib/addressparser',
  'he',
  'linkify-it',
  'tlds',
]

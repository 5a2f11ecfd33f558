import { nextTurn } from '../core/machine.ts'

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
  for (const loadPart of parts) {
    await loadPart()
    await nextTurn()
  }
  return import('mailparser')
}

/** What mailparser requires itself, as far as it takes time, each after what it requires. */
const parts: readonly (() => Promise<unknown>)[] = [
  () => import('encoding-japanese'),
  () => import('iconv-lite'),
  () => import('libmime'),
  () => import('@zone-eu/mailsplit'),
  () => import('html-to-text'),
  () => import('nodemailer/lib/addressparser'),
  () => import('he'),
  () => import('linkify-it'),
  () => import('tlds'),
]

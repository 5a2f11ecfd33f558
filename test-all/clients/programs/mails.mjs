/** What all programs in JavaScript share: see `mails.py`. */
import { readFileSync } from 'node:fs'

const { PORT, WAY, AUTH, PASSWORD, SETUP, KINDS } = process.env
export const way = WAY
export const credentials = AUTH ? { user: 'u', pass: PASSWORD } : undefined
export const auth = AUTH
export const port = Number(PORT)
export const setup = SETUP
const kinds = JSON.parse(readFileSync(KINDS, 'utf8'))

export const subjectOf = (name) => `[${SETUP}/${name}] ${kinds[name].subject}`

/** Calls `send(name, kind)` for all kinds at once; a failure becomes a line of the output. */
export async function each(send) {
  const report = (name) => (error) => console.log(`${name}\t${String(error.message).replaceAll('\n', ' ')}`)
  await Promise.all(Object.entries(kinds).map(([name, kind]) => send(name, kind).catch(report(name))))
}

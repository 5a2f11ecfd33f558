import type { SMTPServerSession } from 'smtp-server'
import sasl from 'smtp-server/lib/sasl.js'
import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js'
import type { SmtpStage } from '../faults/types.ts'
import { normalizeAddress } from '../mime/headers/addresses.ts'

/** smtp-server's connection, corrected where its paths and parameters differ from the RFCs. */
export abstract class CommandConnection extends SMTPConnection {
  /** Called for an address without angle brackets. @returns Whether it is accepted. */
  protected abstract takeBarePath(): boolean

  /**
   * Accepts an empty user name in AUTH LOGIN, as AUTH PLAIN does. The base refuses it, so it gets a placeholder, which
   * `#withoutName` takes out again. Relies on how smtp-server continues AUTH LOGIN: each step sets `_nextHandler` to the
   * next, and `LOGIN_password` is called with the user name.
   */
  override handler_AUTH(command: Buffer, callback: () => void): void {
    const [, method = '', initial] = command.toString().trim().split(/\s+/)
    if (method.toUpperCase() !== 'LOGIN') return super.handler_AUTH(command, callback)
    // An equals sign is an empty initial response (RFC 4954 section 4).
    if (initial === '=')
      return super.handler_AUTH(Buffer.from(`AUTH LOGIN ${placeholderName}`), () =>
        this.#withoutName(callback),
      )
    super.handler_AUTH(command, () => {
      const takeName = this._nextHandler
      if (takeName && initial === undefined)
        this._nextHandler = (line, done) => {
          const isEmpty = ['', '='].includes(line.toString().trim())
          if (isEmpty) takeName.call(this, Buffer.from(placeholderName), () => this.#withoutName(done))
          else takeName.call(this, line, done)
        }
      callback()
    })
  }

  /** Replaces the user name of an AUTH LOGIN that waits for its password. */
  #withoutName(done: () => void): void {
    if (this._nextHandler) this._nextHandler = sasl.LOGIN_password.bind(this, '')
    done()
  }

  /**
   * Refuses unknown parameters (RFC 5321 section 4.1.1.11). The base accepts and ignores them. Relies on smtp-server's calls
   * of it, after the parsing of MAIL and of RCPT, each with its own list in `keys`.
   */
  override _rejectInvalidParams(
    parsed: Exclude<AddressCommand, false>,
    keys: string[],
    callback: () => void,
  ): boolean {
    if (!parsed.args) return false
    // The base passes the names that need a value, which differ between the two commands.
    const command = keys.includes('NOTIFY') ? 'RCPT' : 'MAIL'
    const unknown = Object.keys(parsed.args).find((name) => !parameters[command].has(name))
    if (unknown === undefined) {
      return super._rejectInvalidParams(parsed, command === 'MAIL' ? [...keys, 'AUTH'] : keys, callback)
    }
    this.send(555, `5.5.4 The parameter ${unknown.slice(0, 64)} of ${command} is not supported`)
    callback()
    return true
  }

  /** Parses the path with {@link readPath}. Relies on smtp-server's answer of 501 to false, and to an empty address of RCPT. */
  override _parseAddressCommand(name: string, command: string | Buffer): AddressCommand {
    const line = command.toString()
    const colon = line.indexOf(':')
    const path = readPath(line.slice(colon + 1))
    if (colon === -1 || path === null || (path.isBare && !this.takeBarePath())) return false
    const isPlain = path.parameters === '' && line.slice(0, colon).toUpperCase() === name.toUpperCase()
    if (isPlain) return { address: path.address, args: false }
    // The base parses the parameters. It gets the null path, which it accepts for both commands.
    const parsed = super._parseAddressCommand(name, `${line.slice(0, colon)}:<> ${path.parameters}`)
    return parsed && { ...parsed, address: path.address }
  }
}

/** A user name that the base accepts, encoded. */
const placeholderName = 'Lg=='

type AddressCommand = ReturnType<SMTPConnection['_parseAddressCommand']>

/** The parameters of the extensions that EHLO offers: RFC 1870, 6152, 6531, 3461 and 4954. */
const parameters: Readonly<Record<'MAIL' | 'RCPT', ReadonlySet<string>>> = {
  MAIL: new Set(['SIZE', 'BODY', 'SMTPUTF8', 'RET', 'ENVID', 'AUTH']),
  RCPT: new Set(['NOTIFY', 'ORCPT']),
}

/** The parsed argument of MAIL or RCPT. */
interface PathCommand {
  /** The bare address, with an internationalised domain as A-labels; `""` for `<>`. */
  address: string
  /** The ESMTP parameters after the path. */
  parameters: string
  /** Whether the angle brackets are missing. Some local tools leave them out. */
  isBare: boolean
}

/**
 * Parses the path of `MAIL FROM:<…> …` and `RCPT TO:<…> …`, with quoted local parts, which smtp-server's parser lacks.
 *
 * @param argument  The text after the colon.
 * @returns null if the path is neither an address, nor `<>`, nor a local part alone.
 * @see RFC 5321 section 4.1.2, RFC 6531
 */
function readPath(argument: string): PathCommand | null {
  const text = argument.trim()
  const isBare = !text.startsWith('<')
  // Without brackets, it ends at the first space.
  const end = isBare ? (/^[^\s<>]+(?!\S)/.exec(text)?.[0].length ?? -1) : endOfPath(text)
  if (end === -1) return null
  const parameters = isBare ? text.slice(end) : text.slice(end + 1)
  if (parameters !== '' && !/^\s/.test(parameters)) return null
  // A source route must be accepted and ignored: RFC 5321 appendix C.
  const path = text.slice(isBare ? 0 : 1, end).replace(/^@[^\s,:@]+(?:,@[^\s,:@]+)*:/, '')
  const address = path === '' || isLocalPart(path) ? path : normalizedOrAsWritten(path)
  return address === null ? null : { address, parameters: parameters.trim(), isBare }
}

/** Whether a path is a local part alone: `postmaster` (RFC 5321 section 4.1.1.3), or a user name as from cron. */
function isLocalPart(path: string): boolean {
  return path.length <= 64 && (dotAtom.test(path) || quotedString.test(path))
}

const dotAtom = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/
const quotedString = /^"(?:[ !#-[\]-~]|\\[ -~])*"$/

/** The position of the closing `>` outside of quotes; -1 if there is none. */
function endOfPath(text: string): number {
  let inQuotes = false
  for (let i = 1; i < text.length; i++) {
    const character = text[i]
    if (inQuotes && character === '\\') i++
    else if (character === '"') inQuotes = !inQuotes
    else if (character === '>' && !inQuotes) return i
    else if (character === '<' && !inQuotes) return -1
  }
  return -1
}

/** A valid address, normalized; else text that has the shape of one, unchanged: real senders exceed the limits of the RFC. */
function normalizedOrAsWritten(path: string): string | null {
  // Invisible characters make one address look like another and control characters split log lines.
  if (/[\x00-\x1f\x7f-\x9f\u200b\u2060\ufeff]/.test(path)) return null
  const checked = normalizeAddress(path)
  if ('address' in checked) return checked.address
  return path.length <= 512 && /^[^\s@<>]+@[^\s@<>]+$/.test(path) ? path : null
}

/** The stage that a command begins; null where faults do not apply, and for commands out of sequence. */
export function stageOf(command: string, session: SMTPServerSession): SmtpStage | null {
  const { envelope, hostNameAppearsAs, user } = session
  switch (command) {
    case 'HELO':
    case 'EHLO':
      return 'ehlo'
    case 'AUTH':
      return hostNameAppearsAs && !user ? 'auth' : null
    case 'MAIL':
      return hostNameAppearsAs && !envelope.mailFrom ? 'mail' : null
    case 'RCPT':
      return envelope.mailFrom ? 'rcpt' : null
    case 'DATA':
      return envelope.rcptTo.length > 0 ? 'data' : null
    default:
      return null
  }
}

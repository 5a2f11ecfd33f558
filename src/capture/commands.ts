import sasl from 'smtp-server/lib/sasl.js'
import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js'
import { readPath } from './path.ts'

/** smtp-server's connection, corrected where its paths and parameters differ from the RFCs. */
export abstract class CommandConnection extends SMTPConnection {
  /** Called for an address without angle brackets. @returns Whether it is accepted. */
  protected abstract takeBarePath(): boolean

  // No option disables these commands, and the base would build and look up a handler's name for each of them.
  override _isSupported(command: string): boolean {
    return frequent.has(command) || super._isSupported(command)
  }

  override _getHandler(command: string): ReturnType<SMTPConnection['_getHandler']> {
    if (command === 'MAIL') return this.handler_MAIL
    if (command === 'RCPT') return this.handler_RCPT
    return command === 'DATA' ? this.handler_DATA : super._getHandler(command)
  }

  /** Accepts an empty user name in AUTH LOGIN, as AUTH PLAIN does. The base refuses it. */
  override handler_AUTH(command: Buffer, callback: () => void): void {
    const [, method = '', initial] = command.toString().trim().split(/\s+/)
    if (method.toUpperCase() !== 'LOGIN') return super.handler_AUTH(command, callback)
    // An equals sign is an empty initial response (RFC 4954 section 4).
    if (initial === '=')
      return super.handler_AUTH(Buffer.from(`AUTH LOGIN ${otherName}`), () => this.#withoutName(callback))
    super.handler_AUTH(command, () => {
      const takeName = this._nextHandler
      if (takeName && initial === undefined)
        this._nextHandler = (line, done) => {
          const isEmpty = ['', '='].includes(line.toString().trim())
          if (isEmpty) takeName.call(this, Buffer.from(otherName), () => this.#withoutName(done))
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

  /** Refuses unknown parameters (RFC 5321 section 4.1.1.11). The base accepts and ignores them. */
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
const otherName = 'Lg=='

const frequent: ReadonlySet<string> = new Set(['MAIL', 'RCPT', 'DATA'])

type AddressCommand = ReturnType<SMTPConnection['_parseAddressCommand']>

/** The parameters of the extensions that EHLO offers: RFC 1870, 6152, 6531, 3461 and 4954. */
const parameters: Readonly<Record<'MAIL' | 'RCPT', ReadonlySet<string>>> = {
  MAIL: new Set(['SIZE', 'BODY', 'SMTPUTF8', 'RET', 'ENVID', 'AUTH']),
  RCPT: new Set(['NOTIFY', 'ORCPT']),
}

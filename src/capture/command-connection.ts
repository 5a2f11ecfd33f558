import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js'
import { unknownParameter } from './commands.ts'
import { readPath } from './path.ts'

/**
 * smtp-server's connection with the commands as the RFCs have them: paths as clients write them, parameters that no
 * extension defines, and AUTH in its place.
 */
export class CommandConnection extends SMTPConnection {
  // The base puts a name together, and looks it up, for these at every command; no option disables them.
  override _isSupported(command: string): boolean {
    return alwaysSupported.has(command) || super._isSupported(command)
  }

  override _getHandler(command: string): ReturnType<SMTPConnection['_getHandler']> {
    if (command === 'MAIL') return this.handler_MAIL
    if (command === 'RCPT') return this.handler_RCPT
    if (command === 'EHLO') return this.handler_EHLO
    if (command === 'QUIT') return this.handler_QUIT
    return command === 'DATA' ? this.handler_DATA : super._getHandler(command)
  }

  /** RFC 4954 section 4: no AUTH within a mail transaction. */
  override handler_AUTH(command: Buffer, callback: () => void): void {
    if (!this.session.envelope.mailFrom) return super.handler_AUTH(command, callback)
    this.send(503, '5.5.1 AUTH is not permitted during a mail transaction, end it with RSET')
    callback()
  }

  /** The base takes parameters that it does not know, and leaves them unread. */
  override _rejectInvalidParams(
    parsed: Exclude<AddressCommand, false>,
    keys: string[],
    callback: () => void,
  ): boolean {
    if (!parsed.args) return false
    // The base passes the names that need a value, which differ between the two commands.
    const command = keys.includes('NOTIFY') ? 'RCPT' : 'MAIL'
    const unknown = unknownParameter(command, parsed.args)
    if (unknown === null) {
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
    if (colon === -1 || path === null) return false
    const isPlain = path.parameters === '' && line.slice(0, colon).toUpperCase() === name.toUpperCase()
    if (isPlain) return { address: path.address, args: false }
    // The parameters are the base's matter; the null path is one that it takes with every command.
    const parsed = super._parseAddressCommand(name, `${line.slice(0, colon)}:<> ${path.parameters}`)
    return parsed && { ...parsed, address: path.address }
  }
}

type AddressCommand = ReturnType<SMTPConnection['_parseAddressCommand']>

const alwaysSupported = new Set(['EHLO', 'MAIL', 'RCPT', 'DATA', 'AUTH'])

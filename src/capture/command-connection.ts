import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js'
import { unknownParameter } from './commands.ts'
import { readPath } from './path.ts'

/**
 * smtp-server's connection, corrected where its commands differ from the RFCs: the syntax of paths, unknown parameters,
 * and AUTH within a transaction.
 */
export class CommandConnection extends SMTPConnection {
  // No option disables these commands. The base would build and look up a handler's name for each command.
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

  /** Refuses unknown parameters. The base accepts and ignores them. */
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

  /** Called for an address without angle brackets. @returns Whether it is accepted. */
  protected takeBarePath(): boolean {
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

type AddressCommand = ReturnType<SMTPConnection['_parseAddressCommand']>

const alwaysSupported = new Set(['EHLO', 'MAIL', 'RCPT', 'DATA', 'AUTH'])

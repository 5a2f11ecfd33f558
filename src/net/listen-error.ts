import { LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'

/** The error of a listener that could not be opened: port_in_use where another program has it, else listen_failed. */
export function listenError(
  protocol: 'HTTP' | 'SMTP',
  cause: unknown,
  { host, port }: { host: string; port: number },
): LocalpostError {
  if (cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE') {
    const message = `${protocol} port ${port} on ${host} is taken by another program. Stop that program, or choose another port.`
    return new LocalpostError('port_in_use', message, { cause })
  }
  const reason = cause instanceof Error ? cause.message : String(cause)
  const message = `${protocol} cannot listen on ${quote(host)}, port ${port}: ${reason}. Check the host and the port, and the right to use them.`
  return new LocalpostError('listen_failed', message, { cause })
}

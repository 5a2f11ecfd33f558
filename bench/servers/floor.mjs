/**
 * smtp-server alone: every message is drained and answered with 250. `node bench/servers/floor.mjs <port> [stock]`.
 *
 * By default it greets at once; `stock` keeps the 100 ms that smtp-server waits before its greeting.
 */
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

// From the package that is measured, so that both sides run the same smtp-server.
const require = createRequire(pathToFileURL(`${process.env.BENCH_PACKAGE}/package.json`))
const { SMTPServer } = require('smtp-server')
const { SMTPConnection } = require('smtp-server/lib/smtp-connection.js')

if (process.argv[3] !== 'stock') {
  SMTPConnection.prototype.init = function init() {
    this._setListeners(() => this.connectionReady())
  }
}

const server = new SMTPServer({
  logger: false,
  disableReverseLookup: true,
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  maxAllowedUnauthenticatedCommands: Number.MAX_SAFE_INTEGER,
  onData(stream, _session, callback) {
    stream.once('end', () => callback(null, 'drained'))
    stream.resume()
  },
})
server.on('error', () => {})
server.listen(Number(process.argv[2]), '127.0.0.1')

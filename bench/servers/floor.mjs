/**
 * smtp-server alone: every message is drained and answered with 250. `node bench/servers/floor.mjs <port> [mode]`.
 *
 * By default it greets at once; `stock` keeps the 100 ms that smtp-server waits before its greeting. `append` also
 * appends each message to one file before its 250: what storing costs at the least, without a record or an index.
 */
import { openSync, writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

// From the package that is measured, so that both sides run the same smtp-server.
const require = createRequire(pathToFileURL(`${process.env.BENCH_PACKAGE}/package.json`))
const { SMTPServer } = require('smtp-server')
const { SMTPConnection } = require('smtp-server/lib/smtp-connection.js')

const mode = process.argv[3]
const file = mode === 'append' ? openSync(join(process.env.BENCH_DIR, 'messages'), 'a') : null

if (mode !== 'stock') {
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
    if (file === null) stream.resume()
    else stream.on('data', (piece) => writeSync(file, piece))
  },
})
server.on('error', () => {})
server.listen(Number(process.argv[2]), '127.0.0.1')

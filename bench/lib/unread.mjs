/**
 * Loaded into a Localpost with `node --import`: the same server, but for the pass behind capture that reads messages for
 * lists and searches. It is what the cost of that pass is measured against.
 */
import Module from 'node:module'

const begin = 'function startIndexer('
const stub = 'function startIndexer() { return { catchUp: async () => 0, close: async () => {} } }'
const compile = Module.prototype._compile

Module.prototype._compile = function (code, file, ...more) {
  const isOurs = code.includes(begin) && !file.includes('/node_modules/')
  return compile.call(
    this,
    isOurs ? code.replace(begin, `${stub}\nfunction notStarted(`) : code,
    file,
    ...more,
  )
}

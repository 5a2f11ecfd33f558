/**
 * Loaded into a Localpost with `node --import`: the same server, but for the pass behind capture that reads messages for
 * lists and searches. It is what the cost of that pass is measured against.
 */
import { register } from 'node:module'

const stub = 'export const startDigesting = () => ({ catchUp: async () => 0, close: async () => {} })'
const hooks = `
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context)
  const isReading = found.url.endsWith('/dist/search/indexer.js')
  return isReading ? { url: ${JSON.stringify(`data:text/javascript,${encodeURIComponent(stub)}`)}, format: 'module', shortCircuit: true } : found
}`

register(`data:text/javascript,${encodeURIComponent(hooks)}`)

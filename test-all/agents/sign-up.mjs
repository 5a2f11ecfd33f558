/**
 * The official client of the Model Context Protocol: signs up, waits, reads the code and follows the link.
 * `node sign-up.mjs <http|stdio> <legacy|2026-07-28> <address>`; it prints what it saw as one line of JSON.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const [way, era, to] = process.argv.slice(2)
const { LOCALPOST_URL: url, LOCALPOST_API_KEY: key, APP_URL: app, LOCALPOST_COMMAND: command } = process.env
const mode = era === 'legacy' ? 'legacy' : { pin: era }
const client = new Client({ name: 'agent', version: '1.0.0' }, { versionNegotiation: { mode } })
const headers = { authorization: `Bearer ${key}` }
await client.connect(
  way === 'http'
    ? new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } })
    : new StdioClientTransport({
        command: process.execPath,
        args: [command, 'mcp'],
        env: { ...process.env, LOCALPOST_URL: url, LOCALPOST_API_KEY: key },
      }),
)
const call = async (name, args) => (await client.callTool({ name, arguments: args })).structuredContent
const { tools } = await client.listTools()

await fetch(`${app}/sign-up?to=${to}`)
const { found, mail } = await call('wait_for_mail', { to, timeout_seconds: 20 })
const { codes, links } = await call('get_codes_and_links', { id: mail.id })
const page = await (await fetch(links[0].href)).text()
const read = await call('get_mail', { id: mail.id })
const other = await call('search_mails', { query: 'secret of another account' })
const none = await call('wait_for_mail', { to: 'nobody@example.com', timeout_seconds: 0.1 })
const why = await call('explain_missing_mail', { to: 'nobody@example.com' })
const caller = new AbortController()
const left = client
  .callTool(
    { name: 'wait_for_mail', arguments: { to: 'nobody@example.com', timeout_seconds: 45 } },
    { signal: caller.signal },
  )
  .then(
    () => 'answered',
    () => 'left',
  )
setTimeout(() => caller.abort(), 100)
const seen = {
  version: client.getNegotiatedProtocolVersion(),
  server: client.getServerVersion()?.name,
  tools: tools.map(({ name }) => name),
  found,
  code: codes[0],
  page,
  text: read.content.trim(),
  others: other.count,
  none: none.found,
  why: why.causes[0].cause,
  wait: await left,
}
await client.close()
console.log(JSON.stringify(seen))

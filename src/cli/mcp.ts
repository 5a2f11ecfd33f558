import { runningPage } from './running.ts'
import type { Arguments } from './arguments.ts'
import { relayMessages, type Send } from './mcp-relay.ts'
import type { Output } from './output.ts'
import { connect, type Remote } from './remote.ts'
import { resolveSettings, type Settings } from './settings.ts'

/**
 * Runs `localpost mcp`: passes the messages of an agent on to a Localpost, until its standard input ends.
 *
 * @returns The exit code.
 * @throws invalid_option for a wrong command line, or the errors of a start.
 */
export async function runMcp(given: Arguments, output: Output): Promise<0> {
  const { send, close } = await openTarget(given, output)
  try {
    await relayMessages({
      input: process.stdin,
      print: (line) => void process.stdout.write(`${line}\n`),
      warn: output.warn,
      send,
    })
  } finally {
    await close()
  }
  return 0
}

/** The Localpost that gets the messages. */
interface Target {
  send: Send
  close(): Promise<void>
}

/** The server of `--url` or LOCALPOST_URL, else the one at the port of the settings, else one that is started there. */
async function openTarget(given: Arguments, output: Output): Promise<Target> {
  const remote = await connect(given, process.env, output)
  if (remote.isGiven) return remoteTarget(remote)
  const options = { ...given.options, memory: true }
  const settings = await resolveSettings({ config: given.config, options }, process.env, process.cwd())
  const url = await runningPage(settings.options.host, settings.port)
  return url === null ? startInstance(settings, output) : remoteTarget(remote.at(url))
}

function remoteTarget({ send }: Remote): Target {
  return {
    send: (body, headers, signal) => send('/mcp', { method: 'POST', body, headers, signal }),
    close: async () => {},
  }
}

async function startInstance({ port, options }: Settings, output: Output): Promise<Target> {
  const { openLocalpost } = await import('../instance/open.ts')
  const onNotice = ({ message }: { message: string }): void => output.warn(message)
  const post = await openLocalpost({ onNotice, ...options }, { deliversFrom: 'listen', spans: 'none' })
  try {
    const { url } = await post.listen({ port, host: options.host })
    output.warn(
      `No Localpost was running, so this command started one, in memory. Page: ${url}. SMTP: ${post.smtp.host}:${post.smtp.port}.`,
    )
  } catch (error) {
    await post.close()
    throw error
  }
  const own = { 'content-type': 'application/json', authorization: `Bearer ${post.apiKey}` }
  return {
    send: (body, given, signal) => {
      const headers = { ...given, ...own }
      return post.fetch(new Request('http://localpost/mcp', { method: 'POST', headers, body, signal }))
    },
    close: () => post.close(),
  }
}

import { runningPage } from './running.ts'
import type { Arguments } from './arguments.ts'
import { relayMessages, type Send } from './mcp-relay.ts'
import type { Output } from './output.ts'
import { connect, type Remote } from './remote.ts'
import { resolveSettings } from './settings.ts'

/**
 * Runs `localpost mcp`: passes the messages of an agent on to a Localpost, until its standard input ends.
 *
 * @returns The exit code.
 * @throws invalid_option for a wrong command line, or the errors of a start.
 */
export async function runMcp(given: Arguments, output: Output): Promise<0> {
  const { send, close } = await openPlace(given, output)
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

async function openPlace(given: Arguments, output: Output): Promise<{ send: Send; close(): Promise<void> }> {
  const remote = await connect(given, process.env, output)
  const at = ({ send }: Pick<Remote, 'send'>): { send: Send; close(): Promise<void> } => ({
    send: (body, headers, signal) => send('/mcp', { method: 'POST', body, headers, signal }),
    close: async () => {},
  })
  if (remote.isGiven) return at(remote)
  const { port, options } = await resolveSettings(
    { config: given.config, options: { ...given.options, memory: true } },
    process.env,
    process.cwd(),
  )
  const running = await runningPage(options.host, port)
  if (running !== null) {
    const flags = { ...given.flags, url: running }
    return at(await connect({ flags, options: given.options }, process.env, { warn: () => {} }))
  }
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
  return {
    send: (body, headers, signal) =>
      post.fetch(
        new Request('http://localpost/mcp', {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers, authorization: `Bearer ${post.apiKey}` },
          body,
          signal,
        }),
      ),
    close: () => post.close(),
  }
}

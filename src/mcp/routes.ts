import { z } from 'zod'
import { bytesAnswer } from '../server/answer.ts'
import { defineRoutes } from '../server/define-routes.ts'
import type { Route } from '../server/route.ts'
import type { ToolAccount } from './tool.ts'

const { post } = defineRoutes({ tag: 'Agents', access: 'local' })

/**
 * `/mcp`: the inbox as tools for agents. What it needs is loaded at the first request.
 *
 * @param onError  Called with errors that are not refusals.
 * @see https://modelcontextprotocol.io/specification
 */
export function mcpRoutes(account: ToolAccount, onError: (error: unknown) => void): Route[] {
  return [
    post('/mcp', {
      // A tool that changes something asks for more.
      needs: 'read',
      summary: 'The inbox as tools for agents (Model Context Protocol, streamable HTTP)',
      body: { schema: z.union([z.looseObject({}), z.array(z.unknown()).max(maxMessages)]) },
      success: {
        type: 'application/json',
        description: 'A JSON-RPC message, or a stream of server-sent events',
      },
      async handler({ body, headers, may, signal }) {
        const { answerMcp } = await import('./server.ts')
        const request = toRequest(headers, signal())
        const caller = { isFull: may('full'), seesAccounts: may('admin'), signal: signal() }
        const response = await answerMcp(request, body, { account, caller, onError })
        // Its `no-cache` would let a browser store mail. Without it, the `no-store` of all answers stays.
        response.headers.delete('cache-control')
        return bytesAnswer(response.body, Object.fromEntries(response.headers), response.status)
      },
    }),
  ]
}

/** How many messages a batch may have; an agent sends few at once. */
const maxMessages = 20

/** The request as the handler of the protocol takes it; the body is passed beside it. */
function toRequest(headers: Pick<Headers, 'get'>, signal: AbortSignal): Request {
  const passed = new Headers()
  for (const name of protocolHeaders) {
    const value = headers.get(name)
    if (value !== null) passed.set(name, value)
  }
  return new Request('http://localpost/mcp', { method: 'POST', headers: passed, signal })
}

const protocolHeaders = [
  'accept',
  'content-type',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'mcp-session-id',
]

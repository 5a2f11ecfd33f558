import { z } from 'zod'
import { bytesAnswer } from '../server/answer.ts'
import { defineRoutes } from '../server/define-routes.ts'
import { type Route } from '../server/route.ts'
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
      body: { schema: z.union([z.looseObject({}), z.array(z.unknown()).max(mostMessages)]) },
      success: {
        type: 'application/json',
        description: 'A JSON-RPC message, or a stream of server-sent events',
      },
      async handler({ body, headers, may, signal }) {
        const { answerMcp } = await import('./server.ts')
        const request = new Request('http://localpost/mcp', {
          method: 'POST',
          headers: passedHeaders.flatMap((name): [string, string][] => {
            const value = headers.get(name)
            return value === null ? [] : [[name, value]]
          }),
          signal: signal(),
        })
        const caller = { isFull: may('full'), seesAccounts: may('admin'), signal: signal() }
        const response = await answerMcp(request, body, account, caller, onError)
        const { 'cache-control': _, ...sent } = Object.fromEntries(response.headers)
        return bytesAnswer(response.body, sent, response.status)
      },
    }),
  ]
}

/** The headers of the protocol. */
const passedHeaders = [
  'accept',
  'content-type',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'mcp-session-id',
] as const

/** How many messages a batch may have. */
const mostMessages = 20

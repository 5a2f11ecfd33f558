import type { Localpost } from '../../src/index.ts'

/** The revisions of the protocol that are tested: the last with a handshake, and the first without sessions. */
export const eras = ['2025-11-25', '2026-07-28'] as const
export type Era = (typeof eras)[number]

/** A message of JSON-RPC, as far as the tests look at it. */
export interface Message {
  result?: {
    content: { text: string }[]
    structuredContent: Record<string, unknown>
    isError?: boolean
  } & Record<string, unknown>
  error?: { code: number; message: string }
}

interface Call {
  era: Era
  key?: string | undefined
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** Sends one request of the protocol in process, as the official client writes it. */
export async function ask(
  post: Pick<Localpost, 'fetch'>,
  method: string,
  params: Record<string, unknown>,
  call: Call,
): Promise<{ status: number; message: Message }> {
  const response = await post.fetch(requestOf(method, params, call))
  const text = await response.text()
  const data = /^data: (.*)$/m.exec(text)?.[1]
  return { status: response.status, message: JSON.parse(data ?? text) as Message }
}

export function requestOf(
  method: string,
  params: Record<string, unknown>,
  { era, key, headers = {}, signal }: Call,
): Request {
  const isModern = era === '2026-07-28'
  const meta = {
    'io.modelcontextprotocol/protocolVersion': era,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return new Request('http://localpost/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': era,
      ...(isModern && { 'mcp-method': method }),
      ...(isModern && typeof params['name'] === 'string' && { 'mcp-name': params['name'] }),
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: isModern ? { ...params, _meta: meta } : params,
    }),
    ...(signal && { signal }),
  })
}

/** Calls a tool. @returns Its result. @throws Error for an error of the protocol. */
export async function callTool(
  post: Pick<Localpost, 'fetch'>,
  name: string,
  args: unknown,
  call: Call,
): Promise<NonNullable<Message['result']>> {
  const { message } = await ask(post, 'tools/call', { name, arguments: args }, call)
  if (!message.result) throw new Error(JSON.stringify(message))
  return message.result
}

import { LocalpostError } from '../core/errors.ts'
import { isRecord, membersOf } from '../core/members.ts'
import { shortReasonOf } from './remote.ts'

/** Sends one message to `/mcp`. */
export type Send = (body: string, headers: Record<string, string>, signal: AbortSignal) => Promise<Response>

interface RelayParts {
  /** Standard input: one message of JSON-RPC a line. */
  input: AsyncIterable<Uint8Array | string>
  /** Prints one message. */
  print(line: string): void
  warn(text: string): void
  send: Send
}

/**
 * Passes messages of the Model Context Protocol from standard input on to HTTP, and the answers back. It knows as much of
 * the protocol as its two transports differ in: the headers of a request, and how a request is cancelled.
 *
 * @returns When the input ended; requests that run then are cancelled.
 * @see https://modelcontextprotocol.io/specification
 */
export async function relayMessages({ input, print, warn, send }: RelayParts): Promise<void> {
  const running = new Map<string, AbortController>()
  const pending = new Set<Promise<void>>()
  /** That of the handshake, for clients whose messages do not name it. */
  let version: string | null = null

  async function forward(line: string, message: Message): Promise<void> {
    const key = JSON.stringify(message.id)
    const caller = new AbortController()
    if (message.id !== undefined) running.set(key, caller)
    try {
      const response = await send(line, headersOf(message, version), caller.signal)
      for await (const answer of answersOf(response)) {
        if (message.method === 'initialize') version = versionIn(answer) ?? version
        if (message.id !== undefined) print(answer)
      }
    } catch (error) {
      if (caller.signal.aborted) return
      if (message.id === undefined) warn(reasonText(error))
      else print(errorMessage(message.id, -32_603, reasonText(error)))
    } finally {
      if (running.get(key) === caller) running.delete(key)
    }
  }

  for await (const line of messageLines(input)) {
    const message = parse(line)
    if (message === null)
      print(errorMessage(null, -32_700, 'This is not a message in JSON, or it is too long.'))
    else if (message.method === 'notifications/cancelled')
      running.get(JSON.stringify(message.params['requestId']))?.abort()
    else if (running.size >= maxRunning && message.id !== undefined)
      print(errorMessage(message.id, -32_603, `More than ${maxRunning} requests run at once.`))
    else {
      const forwarding = forward(line, message).finally(() => pending.delete(forwarding))
      pending.add(forwarding)
    }
  }
  for (const caller of running.values()) caller.abort()
  await Promise.all(pending)
}

/** A client sends few requests at once; more than this is a loop. */
const maxRunning = 50
/** As much as `/mcp` takes. */
const maxLineChars = 1_048_576

interface Message {
  id: string | number | undefined
  method: string
  params: Readonly<Record<string, unknown>>
}

function parse(line: string): Message | null {
  if (line.length > maxLineChars) return null
  try {
    const given: unknown = JSON.parse(line)
    if (!isRecord(given)) return null
    const { id, method, params } = given
    return {
      id: typeof id === 'string' || typeof id === 'number' ? id : undefined,
      method: typeof method === 'string' ? method : '',
      params: membersOf(params),
    }
  } catch {
    return null
  }
}

/** The headers that repeat members of the message, since the revision 2026-07-28. */
function headersOf({ method, params }: Message, negotiated: string | null): Record<string, string> {
  const given = membersOf(params['_meta'])['io.modelcontextprotocol/protocolVersion']
  const version = typeof given === 'string' ? given : negotiated
  const name = params['name'] ?? params['uri']
  return {
    accept: 'application/json, text/event-stream',
    ...(version !== null && { 'mcp-protocol-version': headerText(version) }),
    ...(typeof given === 'string' && { 'mcp-method': headerText(method) }),
    ...(typeof given === 'string' && typeof name === 'string' && { 'mcp-name': headerText(name) }),
  }
}

/** A header cannot have every text; others are encoded as the protocol has it. */
function headerText(text: string): string {
  if (/^[\x21-\x7e]*$/.test(text)) return text
  return `=?base64?${Buffer.from(text).toString('base64')}?=`
}

/** The messages of an answer: one of JSON, or the events of a stream. */
async function* answersOf(response: Response): AsyncGenerator<string> {
  const type = response.headers.get('content-type') ?? ''
  if (!type.startsWith('text/event-stream')) {
    const text = await response.text()
    if (text === '') return
    const answer = membersOf(JSON.parse(text))
    // Refused before the protocol began: by the key, the host, the size.
    if (answer['jsonrpc'] === undefined)
      throw new Error(`${String(answer['name'])}: ${String(answer['message'])}`)
    yield JSON.stringify(answer)
    return
  }
  if (response.body === null) return
  let data = ''
  for await (const line of messageLines(response.body, Number.POSITIVE_INFINITY)) {
    if (line.startsWith('data:')) data += line.slice(5).trimStart()
    if (line !== '' || data === '') continue
    yield data
    data = ''
  }
}

/** The lines of a stream. A line that is too long is cut, and cannot be parsed then. */
async function* messageLines(
  input: AsyncIterable<Uint8Array | string>,
  longest = maxLineChars,
): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of input) {
    const parts = (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })).split('\n')
    const last = parts.pop() ?? ''
    for (const part of parts) {
      yield (rest + part).replace(/\r$/, '')
      rest = ''
    }
    // One character more than a message may have, so that it counts as too long.
    if (rest.length <= longest) rest += last
  }
  if (rest !== '') yield rest
}

function versionIn(answer: string): string | null {
  const version = membersOf(membersOf(JSON.parse(answer))['result'])['protocolVersion']
  return typeof version === 'string' ? version : null
}

function reasonText(error: unknown): string {
  return error instanceof LocalpostError ? error.message : shortReasonOf(error)
}

function errorMessage(id: string | number | null, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })
}

import type { ErrorBody } from '../../src/core/errors.ts'
import type { ListedMail, Mail } from '../../src/inbox/types.ts'
import type { ApiKey } from '../../src/keys/types.ts'
import type { Health, SessionState } from '../../src/server/schema.ts'

/** The control API as the page uses it. A failed call rejects with an {@link ApiError}, an aborted one with its signal's reason. */
export interface Api {
  health(): Promise<Health>
  /** The API keys, in the order of the server. */
  keys(): Promise<ApiKey[]>
  list(search: MailSearch, signal?: AbortSignal): Promise<MailPage>
  get(id: string, signal?: AbortSignal): Promise<Mail>
  /** The first `limit` bytes of the message as text, and whether the message is longer. */
  source(id: string, limit: number, signal?: AbortSignal): Promise<{ text: string; cut: boolean }>
  setUnread(id: string, unread: boolean): Promise<void>
  remove(id: string): Promise<void>
  /** Deletes all matches of the query, or all mail if the query is empty. */
  removeAll(query: string): Promise<void>
  /** Reads any path of the control API as JSON. */
  read<T>(path: string, signal?: AbortSignal): Promise<T>
  /** Reads any path as text. */
  readText(path: string, signal?: AbortSignal): Promise<string>
  /** Sends an object as JSON, or a blob with its own type, to any path. Returns the JSON of the answer. */
  write<T = unknown>(method: string, path: string, body?: object | Blob, signal?: AbortSignal): Promise<T>
  /** Calls `/v1` with the session, else with the API key that the server shows to local callers. */
  v1<T = unknown>(method: string, path: string, body?: object): Promise<T>
  /** Exchanges an API key for the session cookie, which an instance requires if it is not reached over loopback. */
  openSession(key: string): Promise<void>
  /** Signs in with a password, for the same cookie. */
  signIn(name: string, password: string): Promise<void>
  /** A token that allows the frame of a mail to load its remote content. */
  consent(id: string, signal?: AbortSignal): Promise<string>
  /** Ends the session of the cookie. */
  signOut(): Promise<void>
  /** The user who is signed in, and the ways to sign in. */
  session(): Promise<SessionState>
}

export interface MailSearch {
  query: string
  offset?: number
  limit?: number
  /** Whether the mails of a broadcast are one item. The results of a search are never combined. */
  fold?: 'broadcasts'
  /** With `page`, the search may end as soon as the page is full. Default: `all`, so that all matches are counted. */
  count?: 'all' | 'page'
}

export interface MailPage {
  emails: ListedMail[]
  /** The number of items, on all pages. */
  count: number
  /** With `fold`: the number of mails that match the query. */
  mails?: number
  /** How many mails have more text than a search for words looks at; absent if none has. */
  cut_texts?: number
  /** With `count: 'page'`: there may be more matches than `count`. */
  at_least?: true
  cursor: string | null
}

/** An error answer. If there was no answer at all, `name` is `unreachable` and `status` is 0. */
export class ApiError extends Error {
  readonly status: number
  override readonly name: ErrorBody['name'] | 'unreachable'

  constructor(status: number, name: ErrorBody['name'] | 'unreachable', message: string) {
    super(message)
    this.status = status
    this.name = name
  }
}

/**
 * @param options.account  The account of all requests. Default: that of the caller.
 * @param options.signal  Cancels what is being read.
 * @param options.readMs  How long a read may take. Default: a minute, which the slowest checks of links need.
 * @param options.onLocked  Called at every 401, when the instance requires a sign-in; see {@link Api.openSession}.
 * @param options.isSignedIn  Whether the cookie has a session, with which `/v1` may be called too.
 */
export function createApi(options: {
  account?: string | null
  signal?: AbortSignal
  readMs?: number
  onLocked: () => void
  isSignedIn: () => Promise<boolean>
}): Api {
  const { account = null, signal: over, readMs = 60_000, onLocked, isSignedIn } = options
  async function send(path: string, init?: RequestInit): Promise<Response> {
    return accept(await request(path, init))
  }
  async function accept(response: Response): Promise<Response> {
    if (response.ok) return response
    const error = await toError(response)
    if (error.status === 401) onLocked()
    throw error
  }
  async function request(path: string, init?: RequestInit): Promise<Response> {
    const isRead = init?.method === undefined || init.method === 'GET'
    const signals = [init?.signal, isRead ? over : null].filter((signal) => signal instanceof AbortSignal)
    const deadline = isRead ? [AbortSignal.timeout(readMs)] : []
    try {
      // No address in a mail can add a header: this marks the request as one of the page.
      const headers = new Headers(init?.headers)
      headers.set('x-localpost-page', '1')
      return await fetch(pathIn(account, path), {
        ...init,
        headers,
        signal: AbortSignal.any([...signals, ...deadline]),
      })
    } catch (error) {
      if (signals.some(({ aborted }) => aborted)) throw error
      throw new ApiError(0, 'unreachable', noAnswer)
    }
  }
  const read = async <T>(path: string, init?: RequestInit): Promise<T> =>
    (await send(path, init)).json() as Promise<T>
  // The key is kept only in memory. After a reload the page asks for it again if it cannot read it.
  let given = ''
  async function wholeKey(): Promise<string> {
    if (given) return given
    const { keys } = await read<{ keys: ApiKey[] }>('dev/keys')
    given = keys.find(({ value }) => !value.includes('…'))?.value ?? ''
    if (given) return given
    onLocked()
    throw new ApiError(401, 'missing_api_key', 'This section uses /v1, which needs an API key.')
  }
  const write = async <T = void>(
    method: string,
    path: string,
    body?: object | Blob,
    signal?: AbortSignal,
  ): Promise<T> => {
    const response = await send(path, {
      method,
      signal: signal ?? null,
      ...(body instanceof Blob
        ? { body, headers: { 'content-type': body.type } }
        : body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    const text = await response.text()
    return (text ? JSON.parse(text) : undefined) as T
  }

  return {
    read: (path, signal) => read(path, { signal: signal ?? null }),
    readText: async (path, signal) => (await send(path, { signal: signal ?? null })).text(),
    write,
    async v1<T>(method: string, path: string, body?: object): Promise<T> {
      const headers = {
        ...((await isSignedIn()) ? {} : { authorization: `Bearer ${await wholeKey()}` }),
        'content-type': 'application/json',
        ...(account !== null && { 'x-localpost-account': account }),
      }
      return read<T>(path, { method, headers, body: body ? JSON.stringify(body) : null })
    },
    async health() {
      const response = await request('dev/health')
      // While nothing new can be stored, the health is answered with 503.
      const refusing = response.status === 503 ? await healthIn(response.clone()) : null
      return refusing ?? ((await (await accept(response)).json()) as Health)
    },
    keys: async () => (await read<{ keys: ApiKey[] }>('dev/keys')).keys,
    list: (search, signal) => read(`dev/inbox?${toSearch({ ...search })}`, { signal: signal ?? null }),
    get: (id, signal) => read(mailPath(id), { signal: signal ?? null }),
    async source(id, limit, signal) {
      const response = await send(mailPath(id, 'raw'), { signal: signal ?? null })
      return readStart(response, limit)
    },
    setUnread: (id, unread) => write('PATCH', mailPath(id), { unread }),
    remove: (id) => write('DELETE', mailPath(id)),
    removeAll: (query) => write('DELETE', `dev/inbox?${query ? toSearch({ query }) : 'all=true'}`),
    async openSession(key) {
      await write('POST', 'dev/session', { key })
      given = key
    },
    async consent(id, signal) {
      const init = { method: 'POST', signal: signal ?? null }
      return (await read<{ token: string }>(mailPath(id, 'consent'), init)).token
    },
    signIn: (name, password) => write('POST', 'dev/session', { name, password }),
    async signOut() {
      await write('DELETE', 'dev/session')
      given = ''
    },
    session: () => read('dev/session'),
  }
}

/**
 * The URL of a mail, or of a part of it, relative to the page, which may be mounted below a path.
 *
 * @param part  `raw`, `html`, `attachments/0`.
 */
export function mailPath(id: string, part?: string): string {
  return `dev/inbox/${encodeURIComponent(id)}${part ? `/${part}` : ''}`
}

/**
 * A path of the control API for one account. Accounts and the session belong to no account, and `/v1` gets the account
 * from the key or a header.
 *
 * @param account  null: that of the caller.
 */
export function pathIn(account: string | null, path: string): string {
  if (account === null || !/^dev\/(?!(?:accounts|session)(?:\/|$))/.test(path)) return path
  return `${path}${path.includes('?') ? '&' : '?'}account=${encodeURIComponent(account)}`
}

/** The message to show for a thrown value. */
export function wordsOf(error: unknown): string {
  // The rest of an answer that never came.
  if (error instanceof DOMException && error.name === 'TimeoutError') return noAnswer
  return error instanceof Error && error.message ? error.message : 'Something went wrong.'
}

const noAnswer = 'Localpost does not answer. Is it still running?'

function toSearch(values: Record<string, string | number | undefined>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== '')
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
}

/** Null if the answer is not a health report, but for example an error of a proxy. */
async function healthIn(response: Response): Promise<Health | null> {
  const body: unknown = await response.json().catch(() => null)
  return typeof body === 'object' && body !== null && 'smtp' in body ? (body as Health) : null
}

async function toError(response: Response): Promise<ApiError> {
  try {
    const body = (await response.json()) as ErrorBody
    return new ApiError(response.status, body.name, body.message)
  } catch {
    return new ApiError(response.status, 'internal_error', `Localpost answered ${response.status}.`)
  }
}

/** Reads at most `limit` bytes and cancels the rest, because a message can have 40 MB. */
async function readStart(response: Response, limit: number): Promise<{ text: string; cut: boolean }> {
  if (!response.body) return { text: '', cut: false }
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let taken = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return { text: text + decoder.decode(), cut: false }
    const part = value.subarray(0, limit - taken)
    text += decoder.decode(part, { stream: true })
    taken += part.length
    if (part.length < value.length) {
      await reader.cancel()
      return { text, cut: true }
    }
  }
}

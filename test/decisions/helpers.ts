import { createTransport, type SendMailOptions } from 'nodemailer'
import { beforeAll, expect } from 'vitest'
import type { EmailDetail, EmailListItem } from '../../src/emails/types.ts'
import type { SendRequest } from '../../src/emails/send-types.ts'
import type { FieldError } from '../../src/core/errors.ts'
import type { Mail } from '../../src/inbox/types.ts'
import type { Localpost } from '../../src/instance/instance.ts'
import type { LocalpostOptions } from '../../src/options/options.ts'
import type { LoggedRequest } from '../../src/server/types.ts'
import { assertMatchesOpenApi } from '../server/validate-response.ts'
import { goodMail } from '../support/mail.ts'
import { fastRetries, start, startShared } from '../support/instance.ts'

/** A running instance, and short ways to call it. Every answer is checked against the OpenAPI document. */
export interface Face {
  readonly post: Localpost
  call(method: string, path: string, options?: CallOptions): Promise<Response>
  /** The JSON of a GET that must answer 200. */
  get<T>(path: string): Promise<T>
  /** The JSON of a POST that must answer 200 or 201. */
  create<T>(path: string, body: unknown): Promise<T>
  /** Sends {@link goodMail} with some members replaced; undefined removes one. It must be accepted. */
  send(over?: Over, headers?: Record<string, string>): Promise<string>
  /** The same for a send that must be refused. */
  refusal(over: Over, headers?: Record<string, string>): Promise<Refusal>
  detail(id: string): Promise<EmailDetail>
  /** The email as the list shows it. */
  item(id: string): Promise<EmailListItem>
  mail(id: string): Promise<Mail>
  /** Waits until an email matches; by default, until every recipient has an outcome. */
  settled(id: string, fits?: (email: EmailDetail) => boolean): Promise<EmailDetail>
  /** The newest POST of the request log. */
  logged(): Promise<LoggedRequest>
  /** Submits over SMTP and gives the id of the email. */
  submit(mail: SendMailOptions, auth?: { user: string; pass: string }): Promise<string>
  /** The bytes of the captured message, as text. */
  raw(id: string): Promise<string>
}

export interface CallOptions {
  /** Sent as JSON. */
  body?: unknown
  raw?: BodyInit
  headers?: Record<string, string>
  /** null sends none. Default: the instance's for `/v1`, none elsewhere. */
  key?: string | null
}

/** Members of a send request of any type, since invalid ones are sent, too. */
export type Over = { [Name in keyof SendRequest]?: unknown } & Record<string, unknown>

export interface Refusal {
  status: number
  name: string
  message: string
  /** The fields that `errors` names. */
  fields: string[]
}

export interface List {
  count: number
  cursor: string | null
}
export type EmailList = List & { emails: EmailListItem[] }

/** Opens an instance that is closed at the end of the test. */
export async function open(options: LocalpostOptions = {}): Promise<Face> {
  return inProcess(await start({ ...fastRetries, ...options }))
}

/**
 * One instance for the tests of a file or group that do not affect each other: generating the DKIM key of an instance
 * takes longer than most tests.
 */
export function shared(options: LocalpostOptions = {}, fill?: (face: Face) => Promise<unknown>): () => Face {
  let face: Face | undefined
  beforeAll(async () => {
    const { post, end } = await startShared({ ...fastRetries, ...options })
    face = inProcess(post)
    await fill?.(face)
    return end
  })
  return () => face as Face
}

const inProcess = (post: Localpost): Face =>
  toFace(post, 'http://localhost', (request) => post.fetch(request))

/** The same, over a socket. */
export async function openOverSocket(options: LocalpostOptions = {}): Promise<Face> {
  const { post } = await open(options)
  const { url } = await post.listen()
  return toFace(post, url, fetch)
}

function toFace(post: Localpost, base: string, ask: (request: Request) => Promise<Response>): Face {
  const call: Face['call'] = async (method, path, options = {}) => {
    const { body, raw, headers = {}, key = path.startsWith('/v1') ? post.apiKey : null } = options
    const all: Record<string, string> = { ...headers }
    if (key !== null) all['authorization'] ??= `Bearer ${key}`
    if (body !== undefined) all['content-type'] ??= 'application/json'
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const init: RequestInit & { duplex: 'half' } = { method, headers: all, body: sent, duplex: 'half' }
    const request = new Request(new URL(path, base), init)
    const response = await ask(request)
    await assertMatchesOpenApi(new Request(request.url, { method }), response)
    return response
  }
  const json = async <T>(response: Response, ...statuses: number[]): Promise<T> => {
    const text = await response.text()
    expect(statuses, text).toContain(response.status)
    return JSON.parse(text) as T
  }
  const face: Face = {
    post,
    call,
    get: async (path) => json(await call('GET', path), 200),
    create: async (path, body) => json(await call('POST', path, { body }), 200, 201),
    async send(over, headers) {
      const response = await call('POST', '/v1/emails', { body: { ...goodMail, ...over }, headers })
      return (await json<{ id: string }>(response, 200)).id
    },
    async refusal(over, headers) {
      const response = await call('POST', '/v1/emails', { body: { ...goodMail, ...over }, headers })
      return refusalOf(response)
    },
    detail: (id) => face.get(`/v1/emails/${id}`),
    async item(id) {
      const { emails } = await face.get<EmailList>('/v1/emails')
      const item = emails.find((email) => email.id === id)
      if (!item) throw new Error(`${id} is not on the first page`)
      return item
    },
    mail: (id) => face.get(`/dev/inbox/${id}`),
    settled: (id, fits = isSettled) => until(() => face.detail(id), fits),
    async logged() {
      const { requests } = await face.get<{ requests: LoggedRequest[] }>('/dev/requests')
      const newest = requests.find(({ method }) => method === 'POST')
      if (!newest) throw new Error('nothing is logged')
      return newest
    },
    async submit(mail, auth) {
      const transport = createTransport({ ...post.smtp, auth })
      const { response } = await transport.sendMail(mail)
      const id = /captured as (em_\w+)/.exec(response)?.[1]
      if (id === undefined) throw new Error(`no id in ${response}`)
      return id
    },
    async raw(id) {
      const response = await call('GET', `/dev/inbox/${id}/raw`)
      return Buffer.from(await response.arrayBuffer()).toString('latin1')
    },
  }
  return face
}

/** The parts of an error answer, for one `toMatchObject`. */
export async function refusalOf(response: Response): Promise<Refusal> {
  const text = await response.text()
  const { statusCode, name, message, errors } = JSON.parse(text) as {
    statusCode: number
    name: string
    message: string
    errors?: FieldError[]
  }
  expect(statusCode, `${response.status} ${text}`).toBe(response.status)
  return { status: response.status, name, message, fields: (errors ?? []).map(({ field }) => field) }
}

const outcomes = new Set(['delivered', 'bounced', 'failed'])
const isSettled = (email: EmailDetail): boolean =>
  email.recipient_statuses.every(({ events }) => events.some(({ status }) => outcomes.has(status)))

/** Repeats a request until the answer matches; fails after 20 seconds with the last one. */
export async function until<T>(ask: () => Promise<T>, fits: (value: T) => boolean): Promise<T> {
  const end = Date.now() + 20_000
  for (;;) {
    const value = await ask()
    if (fits(value)) return value
    if (Date.now() > end) throw new Error(`still not so after 20 s: ${JSON.stringify(value)}`)
    await pause(10)
  }
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** The statuses that each recipient of an email went through. */
export function statusesOf(email: EmailDetail): Record<string, string[]> {
  return Object.fromEntries(
    email.recipient_statuses.map(({ recipient, events }) => [recipient, events.map(({ status }) => status)]),
  )
}

/** Walks a list to its end, page by page. */
export async function walk<Page extends List>(face: Face, path: string): Promise<Page[]> {
  const pages: Page[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: Page = await face.get<Page>(`${path}?cursor=${encodeURIComponent(cursor)}`)
    pages.push(page)
    ;({ cursor } = page)
  }
  return pages
}

/** Sends one attachment, waits for the outcome, and returns the attached text, or the reason for its absence. */
export async function attached(of: Face, path: string): Promise<string> {
  const id = await of.send({ attachments: [{ filename: 'a.txt', path }] })
  const email = await of.settled(id)
  const { attachments, recipients } = await of.mail(id)
  if (email.last_event.status === 'failed') {
    const event = recipients[0]?.events.at(-1)
    return event?.status === 'failed' ? `failed: ${event.reason}` : ''
  }
  expect(attachments).toMatchObject([{ filename: 'a.txt', disposition: 'attachment' }])
  return (await of.call('GET', `/dev/inbox/${id}/attachments/0`)).text()
}

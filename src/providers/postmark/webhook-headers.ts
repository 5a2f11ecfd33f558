import { validationError } from '../../core/errors.ts'
import type { Webhook } from '../../webhooks/types.ts'
import type { PostmarkHeader } from './send-schema.ts'

/** The headers of our webhooks as Postmark has them: the credentials of Basic authentication, and the others. */
interface PostmarkHeaders {
  HttpAuth: { Username: string; Password: string } | null
  HttpHeaders: PostmarkHeader[]
}

type Changes = { [Name in keyof PostmarkHeaders]?: PostmarkHeaders[Name] | null | undefined }

const basic = 'Basic '

/** The headers of a webhook after a change: what is absent stays, null removes. @throws validation_error */
export function toHeaders(
  { HttpAuth, HttpHeaders }: Changes,
  before: Webhook['headers'],
): Record<string, string> {
  const known = fromHeaders(before)
  const auth = HttpAuth === undefined ? known.HttpAuth : HttpAuth
  const fields = HttpHeaders === undefined ? known.HttpHeaders : (HttpHeaders ?? [])
  const headers = new Map<string, string>()
  const lowerNames = new Set<string>()
  for (const [i, { Name, Value }] of fields.entries()) {
    const lower = Name.toLowerCase()
    const field = `HttpHeaders[${i}].Name`
    if (lower === 'authorization' && auth)
      throw validationError([{ field, message: 'must not be given together with HttpAuth' }])
    if (lowerNames.has(lower)) throw validationError([{ field, message: 'must be given once, not twice' }])
    lowerNames.add(lower)
    headers.set(Name, Value)
  }
  if (auth) {
    const credentials = Buffer.from(`${auth.Username}:${auth.Password}`).toString('base64')
    headers.set('Authorization', basic + credentials)
  }
  return Object.fromEntries(headers)
}

/** What the headers of a webhook are in Postmark's API. */
export function fromHeaders(headers: Webhook['headers'] = {}): PostmarkHeaders {
  const fields: PostmarkHeader[] = Object.entries(headers).map(([Name, Value]) => ({ Name, Value }))
  const isAuth = ({ Name, Value }: PostmarkHeader): boolean =>
    Name.toLowerCase() === 'authorization' && Value.startsWith(basic)
  const auth = fields.find(isAuth)
  if (!auth) return { HttpAuth: null, HttpHeaders: fields }
  const credentials = Buffer.from(auth.Value.slice(basic.length), 'base64').toString()
  const [Username = '', ...rest] = credentials.split(':')
  return {
    HttpAuth: { Username, Password: rest.join(':') },
    HttpHeaders: fields.filter((field) => !isAuth(field)),
  }
}

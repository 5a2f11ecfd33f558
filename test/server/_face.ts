import { describe } from 'vitest'
import type { Localpost } from '../../src/instance/instance.ts'
import type { LocalpostOptions } from '../../src/options/options.ts'
import { start } from '../support/instance.ts'
import { assertMatchesOpenApi } from './validate-response.ts'

/** An instance and a function to call it; every answer is checked against the OpenAPI document. */
export interface Face {
  readonly post: Localpost
  /** Base of the addresses that `call` asks. */
  readonly base: string
  /** Sends a request; objects go as JSON, with the API key for `/v1` unless `key` says otherwise. */
  call(method: string, path: string, options?: CallOptions): Promise<Response>
}

export interface CallOptions {
  /** Sent as JSON; use `raw` for bytes and broken bodies. */
  body?: unknown
  raw?: BodyInit
  headers?: Record<string, string>
  /** null sends none. Default: the instance's for `/v1`, none elsewhere. */
  key?: string | null
}

/** Opens an instance that is closed at the end of the test. */
export type OpenFace = (options?: LocalpostOptions) => Promise<Face>

/** Opens an instance and calls it in process. */
export const openInProcess: OpenFace = async (options) => {
  const post = await start(options)
  return toFace(post, 'http://localpost', (request) => post.fetch(request))
}

/** Opens an instance that listens and calls it over a socket. */
export const openOverSocket: OpenFace = async (options) => {
  const post = await start(options)
  const { url } = await post.listen()
  return toFace(post, url, fetch)
}

/** Runs the same suite in process and over a socket. */
export function describeBoth(title: string, suite: (open: OpenFace) => void): void {
  describe(`${title}, in process`, () => suite(openInProcess))
  describe(`${title}, over a socket`, () => suite(openOverSocket))
}

function toFace(post: Localpost, base: string, send: (request: Request) => Promise<Response>): Face {
  return {
    post,
    base,
    async call(
      method,
      path,
      { body, raw, headers = {}, key = path.startsWith('/v1') ? post.apiKey : null } = {},
    ) {
      const init: RequestInit & { duplex?: 'half' } = { method, headers: { ...headers } }
      const given = init.headers as Record<string, string>
      if (key !== null) given['authorization'] ??= `Bearer ${key}`
      if (body !== undefined) {
        init.body = JSON.stringify(body)
        given['content-type'] ??= 'application/json'
      }
      if (raw !== undefined) {
        init.body = raw
        init.duplex = 'half'
      }
      const response = await send(new Request(base + path, init))
      await assertMatchesOpenApi(new Request(base + path, { method }), response)
      return response
    },
  }
}

/** The status of a refusal, and the name of its error. */
export const outcome = async (response: Response): Promise<[number, string]> => [
  response.status,
  ((await response.json()) as { name: string }).name,
]

import { createTransport, type SendMailOptions } from 'nodemailer'
import type { Localpost, LocalpostOptions } from '../../../src/index.ts'
import { startShared } from '../../support/instance.ts'

/** An answer, read. */
export interface Read {
  status: number
  headers: Headers
  text: string
  /** The body, which has to be JSON. */
  json(): unknown
}

/** A server with Mailpit's API, called as its clients do: over a socket, without a key. */
export interface MailpitServer {
  post: Localpost
  url: string
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Read>
  /** Hands in a message over SMTP. @returns Its id. */
  submit(mail: SendMailOptions): Promise<string>
  end(): Promise<void>
}

export async function openMailpit(options?: LocalpostOptions): Promise<MailpitServer> {
  const { post, end } = await startShared(options)
  const { url } = await post.listen()
  const smtp = createTransport({ host: '127.0.0.1', port: post.smtp.port, ignoreTLS: true })
  return {
    post,
    url,
    async call(method, path, body, headers = {}) {
      const init: RequestInit = { method, headers }
      if (body !== undefined) init.body = typeof body === 'string' ? body : JSON.stringify(body)
      const answer = await fetch(url + path, init)
      const text = await answer.text()
      return { status: answer.status, headers: answer.headers, text, json: () => JSON.parse(text) as unknown }
    },
    async submit(mail) {
      const { response } = await smtp.sendMail(mail)
      return /em_\w+/.exec(response)?.[0] ?? ''
    },
    async end() {
      smtp.close()
      await end()
    },
  }
}

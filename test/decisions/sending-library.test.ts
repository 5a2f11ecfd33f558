import { describe, expect, it } from 'vitest'
import type { Notice } from '../../src/index.ts'
import { open } from './helpers.ts'
import { goodMail } from '../support/mail.ts'

describe('a send of the library', () => {
  it('sending.library-warnings: they reach onNotice once, the request log always, and the answer on request', async () => {
    const notices: Notice[] = []
    const { post, get } = await open({ onNotice: (notice) => notices.push(notice) })
    const mail = { ...goodMail, extra: 1 }
    expect(await post.emails.send(mail)).toEqual({ id: expect.any(String) })
    const { id, warnings } = await post.emails.send(mail, { warnings: true })
    expect(warnings[0]).toBe('member "extra" is not known and was ignored')
    const again = { warnings: true, idempotencyKey: 'once' } as const
    expect((await post.emails.send(mail, again)).warnings).toEqual(warnings)
    expect((await post.emails.send(mail, again)).warnings).toEqual([])
    expect(notices.map(({ message }) => message)).toEqual(warnings.map((one) => `emails.send(): ${one}.`))
    const { requests } = await get<{ requests: object[] }>('/dev/requests')
    expect(requests).toMatchObject([
      { source: 'library', warnings: [] },
      { source: 'library', warnings },
      { source: 'library', warnings, response_body: JSON.stringify({ id }) },
      { source: 'library', warnings },
    ])
  })
})

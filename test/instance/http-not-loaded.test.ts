import { expect, it } from 'vitest'
import { resolveOptions } from '../../src/options/options.ts'
import { createHttp } from '../../src/instance/http.ts'

it('a request is answered where the HTTP interface cannot be loaded, and a notice says so', async () => {
  const notices: { message: string }[] = []
  type Given = Parameters<typeof createHttp>
  // What is missing here makes loading fail.
  const http = createHttp(
    { keys: {}, store: {} } as Given[0],
    {
      config: resolveOptions({ onNotice: (notice) => notices.push(notice) }),
      smtp: { host: '127.0.0.1', port: 1 },
      smtps: null,
      oidc: null,
      tracer: null,
      outgoing: { opened: () => undefined },
      following: { open: async () => undefined },
      instance: { otherAccounts: null },
    } as unknown as Given[1],
  )
  const { url } = await http.listen({})
  try {
    for (const options of [{}, { method: 'POST', body: 'x'.repeat(1_000_000) }]) {
      const answer = await fetch(`${url}/dev/inbox`, options)
      expect([answer.status, answer.headers.get('connection'), await answer.json()]).toEqual([
        500,
        'close',
        expect.objectContaining({
          name: 'internal_error',
          message: 'The HTTP interface could not be loaded.',
        }),
      ])
    }
    expect(notices.map(({ message }) => message)).toEqual(
      Array.from({ length: 2 }, () => 'The HTTP interface could not be loaded.'),
    )
  } finally {
    await http.close()
  }
})

import { expect, it } from 'vitest'
import type { Answer } from '../../src/server/answer.ts'
import type { ServerState } from '../../src/server/deps.ts'
import { probeRoutes } from '../../src/server/probes.ts'
import type { RouteContext } from '../../src/server/route.ts'

const statuses: Record<ServerState['status'], { status: number; reasons: RegExp[] }> = {
  ok: { status: 200, reasons: [] },
  disk_low: { status: 200, reasons: [] },
  starting: { status: 503, reasons: [/^The SMTP port does not accept connections\.$/] },
  refusing: { status: 503, reasons: [/^New mail cannot be stored: the disk is full\./] },
  closing: { status: 503, reasons: [/^The instance is closing\.$/] },
}

it.each(Object.entries(statuses))('readyz in the state %s', async (status, expected) => {
  let looks = 0
  const state = async (): Promise<ServerState> => {
    looks++
    await new Promise((resolve) => setImmediate(resolve))
    const warnings = ['New mail is refused. /home/ada/mail is full.']
    return {
      status: status as ServerState['status'],
      store: 'memory',
      smtp: { host: '127.0.0.1', port: 1025, starttls: false, login: 'optional' },
      ca: null,
      refusal: 'disk_full',
      warnings,
    }
  }
  const [livez, readyz] = probeRoutes({ state })
  const call = (route: typeof livez): Promise<Answer> =>
    Promise.resolve(route?.handler({} as RouteContext) as Answer)
  const answers = await Promise.all([call(readyz), call(readyz), call(livez)])
  expect(answers.map((answer) => answer.status)).toEqual([expected.status, expected.status, 200])
  const [{ body }] = answers
  expect(JSON.parse(typeof body === 'string' ? body : '')).toEqual({
    status: expected.status === 200 ? 'ready' : 'not_ready',
    reasons: expected.reasons.map((pattern) => expect.stringMatching(pattern) as string),
  })
  // Both at once, and paths stay private.
  expect(looks).toBe(1)
  expect(body).not.toContain('/home')
})

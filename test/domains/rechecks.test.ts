import { createSocket } from 'node:dgram'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createLocalpost } from '../../src/index.ts'
import { startRechecks } from '../../src/domains/rechecks.ts'
import { createDomains } from '../../src/domains/domains.ts'
import { openParts } from '../support/deps.ts'
import { start } from '../support/instance.ts'
import { countWait } from '../support/own-time.ts'

const dns = { feedbackHost: 'feedback.test', spfInclude: 'spf.test', selector: 's' }

/** Timers that run when the test calls them. */
function heldTimers() {
  const due: (() => void)[] = []
  const after = (_ms: number, run: () => void) => {
    due.push(run)
    return () => void due.splice(due.indexOf(run), 1)
  }
  const fire = async () => {
    for (const run of due.splice(0)) run()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return { due, after, fire }
}

it('looks up, at every interval, only the domains whose verification was started', async () => {
  const parts = await openParts()
  const lookup = {
    txt: () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' })),
    mx: () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' })),
    soa: () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' })),
  }
  const domains = createDomains({ ...parts, dns, lookup })
  const waiting = await domains.create({ name: 'waiting.test' })
  await domains.verify(waiting.id)
  const idle = await domains.create({ name: 'idle.test' })
  await domains.ensureDomain('mentioned.test')
  const timers = heldTimers()
  const seen: string[] = []
  const rechecks = startRechecks({
    store: parts.store,
    clock: { ...parts.clock, after: timers.after },
    intervalMs: 1000,
    verify: (id) => {
      seen.push(id)
      return domains.verify(id)
    },
    onError: (error) => {
      throw error
    },
  })
  expect(seen).toEqual([])
  await timers.fire()
  expect(seen).toEqual([waiting.id])
  expect((await domains.get(waiting.id)).status).toBe('PENDING')
  await parts.clock.advance(72 * 60 * 60 * 1000)
  await timers.fire()
  expect((await domains.get(waiting.id)).status).toBe('FAILED')
  expect((await domains.get(idle.id)).status).toBe('NOT_STARTED')
  await rechecks.close()
  expect(timers.due).toEqual([])
})

it('continues after a fault', async () => {
  const parts = await openParts()
  const domains = createDomains({ ...parts, dns })
  const { id } = await domains.create({ name: 'acme.test' })
  await domains.verify(id, { status: 'SUCCESS' })
  const timers = heldTimers()
  const errors: unknown[] = []
  const rechecks = startRechecks({
    store: parts.store,
    clock: { ...parts.clock, after: timers.after },
    intervalMs: 1000,
    verify: () => Promise.reject(new Error('resolver broke')),
    onError: (error) => errors.push(error),
  })
  await timers.fire()
  await timers.fire()
  expect(errors).toHaveLength(2)
  await rechecks.close()
})

it('runs in an instance only where an interval is given', async () => {
  const post = await start({ verifyIntervalMs: 30, dns: { servers: ['127.0.0.1:1'] } })
  const { id } = await post.domains.create({ name: 'acme.test' })
  await post.domains.verify(id, { status: 'SUCCESS' })
  for (let i = 0; i < 400 && (await post.domains.get(id)).status === 'SUCCESS'; i++) {
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  expect((await post.domains.get(id)).status).toBe('TEMPORARY_FAILURE')
})

it('does not delay closing while a DNS server is silent, and then changes no status', async () => {
  const silent = createSocket('udp4')
  await new Promise<void>((resolve) => silent.bind(0, '127.0.0.1', resolve))
  const dir = await mkdtemp(join(tmpdir(), 'localpost-'))
  const dns = { servers: [`127.0.0.1:${silent.address().port}`] }
  const post = await createLocalpost({ dir, dns })
  const { id } = await post.domains.create({ name: 'news.acme.test' })
  await post.domains.verify(id, { status: 'SUCCESS' })
  const asked = new Promise((resolve) => silent.once('message', resolve))
  const looking = expect(post.domains.verify(id)).rejects.toMatchObject({ code: 'closed' })
  await asked
  const waited = countWait()
  await post.close()
  await looking
  // A look-up would take four seconds.
  expect(waited()).toBeLessThan(3000)
  silent.close()
  const again = await start({ dir })
  expect((await again.domains.get(id)).status).toBe('SUCCESS')
  await again.close()
  await rm(dir, { recursive: true })
})

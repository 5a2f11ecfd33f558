import { expect, it } from 'vitest'
import type { Clock } from '../../src/core/clock.ts'
import { systemClock } from '../../src/core/clock.ts'
import { createLocalpost } from '../../src/instance/create.ts'
import { temporaryFolder } from '../support/folder.ts'

const shifted = (ms: number): Clock => ({ ...systemClock, now: () => Date.now() + ms })
const day = 86_400_000

it('the order of emails survives a restart with a clock that moved back: later emails come first', async () => {
  const dir = temporaryFolder()
  const ids: string[] = []
  for (const [life, shift] of [0, -3 * day, -30 * day, day].entries()) {
    await using post = await createLocalpost({ dir, clock: shifted(shift) })
    for (let n = 0; n < 3; n++) {
      const { id } = await post.emails.send({
        from: 'hi@acme.test',
        to: 'ada@example.com',
        subject: `life ${life} mail ${n}`,
        text: 'x',
      })
      await expect
        .poll(async () => (await post.emails.get(id)).last_event.status, { timeout: 10_000 })
        .toBe('delivered')
      ids.push(id)
    }
    expect(ids).toEqual([...ids].sort())
    const { items } = await post.inbox.list()
    expect(items.map((mail) => mail.id)).toEqual([...ids].reverse())
    const [newest] = items
    expect((await post.inbox.waitFor(`subject:"life ${life}"`)).id).toBe(newest?.id)
  }
})

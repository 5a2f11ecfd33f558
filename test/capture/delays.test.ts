import { describe, expect, it } from 'vitest'
import { createDelays } from '../../src/capture/delays.ts'
import { createLocalpost, fixedClock } from '../../src/index.ts'
import { temporaryFolder } from '../support/folder.ts'

describe('delays', () => {
  it('are all cancelled at once, and no new delay begins', async () => {
    const clock = fixedClock(0)
    const delays = createDelays(clock)
    const done: string[] = []
    delays.after(1, () => done.push('over'))
    await clock.advance(1)
    delays.after(5, () => done.push('same'))
    delays.after(
      5,
      () => done.push('never'),
      () => done.push('instead'),
    )
    delays.after(5, () => done.push('cancelled'))()
    delays.end()
    delays.after(5, () => done.push('late'))
    await clock.advance(10)
    expect(done).toEqual(['over', 'same', 'instead', 'late'])
  })

  it('of deliveries end when the instance closes, and the emails stay pending', async () => {
    const dir = temporaryFolder()
    const rules = [{ match: '*', action: 'delay' as const, delay_ms: 60_000 }]
    const post = await createLocalpost({ dir, clock: fixedClock(0), rules })
    const mail = { from: 'a@acme.test', to: 'ada@example.com', subject: 'Hi', text: 'Hello' }
    const { id } = await post.emails.send(mail)
    // Gives the delivery the time to reach the delay.
    await post.clock.advance(1)
    await post.close()
    await using again = await createLocalpost({ dir, rules: [] })
    expect(await again.inbox.waitFor({ to: 'ada@example.com' })).toMatchObject({
      id,
      last_event: { recipient: 'ada@example.com', reporting_mta: 'localhost' },
    })
  })
})

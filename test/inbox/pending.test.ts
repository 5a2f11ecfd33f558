import { describe, expect, it, onTestFinished } from 'vitest'
import { start } from '../support/instance.ts'

describe('a wait that is not awaited yet', () => {
  it('is ended by close without an unhandled rejection, and rejects when it is awaited later', async () => {
    const unhandled: unknown[] = []
    const others = process.listeners('unhandledRejection')
    const record = (error: unknown): void => void unhandled.push(error)
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', record)
    onTestFinished(() => {
      process.removeAllListeners('unhandledRejection')
      for (const other of others) process.on('unhandledRejection', other)
    })
    const post = await start()
    const { inbox } = post
    const waits = [inbox.waitFor('to:a@b.test'), inbox.waitForCount('', 2), inbox.expectNone('to:c@d.test')]
    await post.close()
    await new Promise((resolve) => setImmediate(resolve))
    expect(unhandled).toEqual([])
    for (const wait of waits) await expect(wait).rejects.toMatchObject({ code: 'closed' })
  })
})

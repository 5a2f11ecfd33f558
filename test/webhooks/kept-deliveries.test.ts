import { describe, expect, it } from 'vitest'
import { openNoun } from './_noun.ts'
import { eventually, openReceiver } from './_receiver.ts'

describe('deliveries', () => {
  it('are kept up to about a thousand after they ended', async () => {
    const receiver = await openReceiver()
    const { webhooks, email } = await openNoun()
    await webhooks.create({ url: receiver.url, events: ['email.sent'] })
    const many = Array.from({ length: 50 }, (_, n) => `user${n}@example.com`)
    for (let n = 0; n < 25; n++) await email(...many)
    await eventually(() => expect(receiver.received).toHaveLength(1250))
    await eventually(async () => {
      const { count } = await webhooks.deliveries()
      expect(count).toBeGreaterThanOrEqual(1000)
      expect(count).toBeLessThan(1100)
    })
  })
})

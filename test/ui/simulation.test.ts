import { describe, expect, it } from 'vitest'
import type { EmailEvent } from '../../src/emails/types.ts'
import { obstacleTo } from '../../ui/views/inbox/simulation.ts'

const sent: EmailEvent = { status: 'sent', timestamp: 1 }
const delivered: EmailEvent = {
  status: 'delivered',
  timestamp: 2,
  processing_time_millis: 1,
  reporting_mta: 'localhost',
  smtp_response: '250 OK',
}

describe('the events that can be added for a recipient', () => {
  it('are a delay or bounce before the delivery, and a reaction after it', () => {
    expect(obstacleTo('bounced', [sent])).toBe('')
    expect(obstacleTo('opened', [sent])).toBe('The mail is not delivered yet.')
    expect(obstacleTo('opened', [sent, delivered])).toBe('')
    expect(obstacleTo('complained', [sent, delivered])).toBe('')
    expect(obstacleTo('delivery_delayed', [sent, delivered])).toBe('The mail is delivered already.')
  })

  it('are none once the mail failed', () => {
    const failed: EmailEvent = { status: 'failed', timestamp: 2, reason: 'No file' }
    for (const status of ['opened', 'bounced'] as const)
      expect(obstacleTo(status, [sent, failed])).toBe('The mail failed: nothing happens after that.')
  })
})

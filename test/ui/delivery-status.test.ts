import { describe, expect, it } from 'vitest'
import { readDeliveryStatus } from '../../ui/views/inbox/delivery-status.ts'

describe('a delivery status report', () => {
  it('is read with each of its recipients', () => {
    const text = [
      'Reporting-MTA: dns; mx.example.com',
      'Arrival-Date: Fri, 20 Nov 2026 22:17:50 +0000',
      '',
      'Final-Recipient: rfc822; nobody@example.com',
      'Action: Failed',
      'Status: 5.1.1',
      'Remote-MTA: dns; inbound.example.com',
      'Diagnostic-Code: smtp; 550 5.1.1 <nobody@example.com>:',
      '  User unknown',
      '',
      'Original-Recipient: rfc822;slow@example.com',
      'Final-Recipient: rfc822; slow@relay.example.com',
      'Action: delayed',
      'Status: 4.4.1',
      'Will-Retry-Until: Sun, 22 Nov 2026 22:17:50 +0000',
      '',
    ]
    const recipients = [
      {
        recipient: 'nobody@example.com',
        action: 'failed',
        status: '5.1.1',
        diagnostic: '550 5.1.1 <nobody@example.com>: User unknown',
        remote: 'inbound.example.com',
        retryUntil: '',
      },
      {
        recipient: 'slow@example.com',
        action: 'delayed',
        status: '4.4.1',
        diagnostic: '',
        remote: '',
        retryUntil: 'Sun, 22 Nov 2026 22:17:50 +0000',
      },
    ]
    for (const end of ['\r\n', '\n'])
      expect(readDeliveryStatus(text.join(end))).toEqual({ reporter: 'mx.example.com', recipients, more: 0 })
  })

  it('may lack its first group, name a thousand recipients, or say nothing', () => {
    expect(readDeliveryStatus('Final-Recipient: rfc822; a@x.test\nAction: failed').recipients).toHaveLength(1)
    const many = readDeliveryStatus(
      'Reporting-MTA: dns; x\n\n' + 'Final-Recipient: rfc822; a@x.test\n\n'.repeat(1000),
    )
    expect([many.recipients.length, many.more]).toEqual([100, 900])
    expect(readDeliveryStatus('hello').recipients).toEqual([])
  })
})

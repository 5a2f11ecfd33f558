import { describe, expect, it } from 'vitest'
import type { MailSummary } from '../../src/inbox/types.ts'
import { worstOf } from '../../ui/views/inbox/outcomes.ts'

const last_event = { recipient: 'ada@example.com', timestamp: 1, status: 'opened' } as const
const shown = (outcomes: MailSummary['outcomes']) => worstOf({ outcomes, last_event })

describe('how a mail fared, in a word', () => {
  it('is what all recipients share', () => {
    expect(shown({ opened: 3 })).toEqual({ status: 'opened', share: '' })
  })

  it('is the worst of it where they differ, and of how many it is true', () => {
    expect(shown({ delivered: 2, opened: 1, bounced: 1 })).toEqual({ status: 'bounced', share: '1 of 4' })
    expect(shown({ bounced: 3, failed: 1 })).toEqual({ status: 'failed', share: '1 of 4' })
    expect(shown({ sent: 1, delivery_delayed: 2 })).toEqual({ status: 'delivery_delayed', share: '2 of 3' })
  })

  it('is what got furthest where all is well', () => {
    expect(shown({ delivered: 2, clicked: 1 })).toEqual({ status: 'clicked', share: '1 of 3' })
  })
})

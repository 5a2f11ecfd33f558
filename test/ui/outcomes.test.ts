import { describe, expect, it } from 'vitest'
import type { MailSummary } from '../../src/inbox/types.ts'
import { worstOf } from '../../ui/views/inbox/outcomes.ts'

const last_event = { recipient: 'ada@example.com', timestamp: 1, status: 'opened' } as const
const shown = (outcomes: MailSummary['outcomes']) => worstOf({ outcomes, last_event })

describe('the outcome of a mail, in a word', () => {
  it('is that of all recipients where it is the same', () => {
    expect(shown({ opened: 3 })).toEqual({ status: 'opened', share: '' })
  })

  it('is the worst one where they differ, with the number of recipients', () => {
    expect(shown({ delivered: 2, opened: 1, bounced: 1 })).toEqual({ status: 'bounced', share: '1 of 4' })
    expect(shown({ bounced: 3, failed: 1 })).toEqual({ status: 'failed', share: '1 of 4' })
    expect(shown({ sent: 1, delivery_delayed: 2 })).toEqual({ status: 'delivery_delayed', share: '2 of 3' })
  })

  it('is the latest one where all is well', () => {
    expect(shown({ delivered: 2, clicked: 1 })).toEqual({ status: 'clicked', share: '1 of 3' })
  })
})

import type { FaultsInput } from '../../../src/faults/types.ts'

/** Faults that are often wanted, by name. */
export const faultExamples: Readonly<Record<string, FaultsInput>> = {
  'Every third request fails': { http: [{ path: '/v1/*', status: 503, rate: 0.33 }] },
  'The next send hangs up': { http: [{ path: '/v1/emails', method: 'POST', disconnect: true, count: 1 }] },
  'Slow API, 3 s': { http: [{ path: '/v1/*', delay_ms: 3000 }] },
  '503 three times': { http: [{ path: '/v1/emails', method: 'POST', status: 503, count: 3 }] },
  'Rate limit': { rate_limit: { requests: 5, per_ms: 1000 } },
  'Slow SMTP, 5 s': { smtp: [{ stage: 'connect', delay_ms: 5000 }] },
  'SMTP 451 once': { smtp: [{ stage: 'rcpt', code: 451, text: 'Try again later', count: 1 }] },
  'SMTP mailbox full': { smtp: [{ stage: 'rcpt', code: 452, text: 'Mailbox full' }] },
}

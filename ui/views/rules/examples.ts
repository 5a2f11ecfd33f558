import type { FaultsInput } from '../../../src/faults/types.ts'

/** Examples of faults, by name. */
export const faultExamples: Readonly<Record<string, FaultsInput>> = {
  'Every third request fails': { http: [{ path: '/v1/*', status: 503, rate: 0.33 }] },
  'The next send hangs up': { http: [{ path: '/v1/emails', method: 'POST', disconnect: true, count: 1 }] },
  'Slow answers': { http: [{ path: '/v1/*', delay_ms: 3000 }] },
  'Rate limit': { rate_limit: { requests: 5, per_ms: 1000 } },
  'SMTP tries again later': { smtp: [{ stage: 'rcpt', code: 451, text: 'Try again later', count: 2 }] },
}

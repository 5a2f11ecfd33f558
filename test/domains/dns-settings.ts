import type { DnsSettings } from '../../src/domains/dns-records.ts'

/** The default options of the DNS records. */
export const dns: DnsSettings = {
  feedbackHost: 'feedback-smtp.us-east-1.amazonses.com',
  spfInclude: 'amazonses.com',
  selector: 'localpost',
}

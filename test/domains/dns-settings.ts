import type { DnsSettings } from '../../src/domains/dns-records.ts'

/** What the options say by default of the DNS records. */
export const dns: DnsSettings = {
  feedbackHost: 'feedback-smtp.us-east-1.amazonses.com',
  spfInclude: 'amazonses.com',
  selector: 'localpost',
}

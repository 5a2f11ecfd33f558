import type { SimulatorNames } from '../../rules/simulator.ts'
import { resend } from './conventions.ts'

/** @see https://resend.com/docs/dashboard/emails/send-test-emails */
export const resendSimulator: SimulatorNames = {
  provider: resend,
  hosts: ['resend.dev'],
  names: { delivered: 'success', bounced: 'bounce', complained: 'complaint', suppressed: 'suppressionlist' },
}

import type { SimulatorNames } from '../../rules/simulator.ts'
import { postmark } from './conventions.ts'

/** @see https://postmarkapp.com/support/article/1239-how-to-test-bounces */
export const postmarkSimulator: SimulatorNames = {
  provider: postmark,
  hosts: ['bounce-testing.postmarkapp.com'],
  names: {
    hardbounce: 'bounce',
    hard_bounce: 'bounce',
    softbounce: 'softbounce',
    soft_bounce: 'softbounce',
    transient: 'delayed',
  },
}

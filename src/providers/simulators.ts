import type { SimulatorNames } from '../rules/simulator.ts'
import { postmarkSimulator } from './postmark/simulator.ts'
import { resendSimulator } from './resend/simulator.ts'

/** The addresses of providers whose mail has a certain outcome, for tests: `bounced@resend.dev`. */
export const providerSimulators: readonly SimulatorNames[] = [resendSimulator, postmarkSimulator]

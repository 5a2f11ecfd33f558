import { providerSimulators } from '../providers/simulators.ts'
import { createSimulator, type AddressSimulator } from '../rules/simulator.ts'

/** The addresses whose mail has a certain outcome. */
export const simulator: AddressSimulator = createSimulator(providerSimulators)

import { readHeaderFacts } from './header-facts.ts'
import { readEnvelope } from './read-envelope.ts'

/** Reading the header of a message as work of the thread. */
export const headerJobs: { headerFacts: typeof readHeaderFacts; envelope: typeof readEnvelope } = {
  headerFacts: readHeaderFacts,
  envelope: readEnvelope,
}

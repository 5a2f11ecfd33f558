import type { DomainStatus, RecordCheck } from '../../../src/domains/types.ts'
import type { Tone } from '../../composables/words.ts'

/** The colour of a state of a domain, or of the verdict on one of its records. */
export function toneOf(state: DomainStatus | RecordCheck['verdict']): Tone {
  return tones[state]
}

const tones: Readonly<Record<DomainStatus | RecordCheck['verdict'], Tone>> = {
  NOT_STARTED: 'quiet',
  PENDING: 'warn',
  SUCCESS: 'good',
  FAILED: 'bad',
  TEMPORARY_FAILURE: 'warn',
  ok: 'good',
  missing: 'warn',
  wrong: 'bad',
  error: 'bad',
}

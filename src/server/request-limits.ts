import type { AnswerRoom } from './answer-room.ts'
import type { BodyRoom } from './body-room.ts'
import type { FailedKeys } from './failed-keys.ts'
import type { OpenAnswers } from './open-answers.ts'

/**
 * What limits the requests of an instance, of all its accounts together: memory of bodies and answers, wrong keys, and
 * how long an answer continues for a caller who lost access.
 */
export interface RequestLimits {
  readonly bodies: BodyRoom
  readonly answers: AnswerRoom
  readonly failedKeys: FailedKeys
  readonly openAnswers: OpenAnswers
}

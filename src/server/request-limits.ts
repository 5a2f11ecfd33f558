import type { AnswerRoom } from './answer-room.ts'
import type { BodyRoom } from './body-room.ts'
import type { FailedKeys } from '../keys/failed-keys.ts'
import type { OpenAnswers } from './open-answers.ts'
import type { SignInLimit } from './sign-in-limit.ts'

/**
 * What limits the requests of an instance, of all its accounts together: memory of bodies and answers, wrong keys,
 * sign-ins that fail, and how long an answer continues for a caller who lost access.
 */
export interface RequestLimits {
  readonly bodies: BodyRoom
  readonly answers: AnswerRoom
  readonly failedKeys: FailedKeys
  /** Sign-ins with a password. */
  readonly passwords: SignInLimit
  /** Sign-ins with a provider. */
  readonly providers: SignInLimit
  readonly openAnswers: OpenAnswers
}

import { systemClock } from '../core/clock.ts'
import type { FailedLogins } from '../keys/failed-logins.ts'
import type { Config } from '../options/options.ts'
import { type AnswerRoom, createAnswerRoom } from './answer-room.ts'
import { type BodyRoom, createBodyRoom } from './body-room.ts'
import { OpenAnswers } from './open-answers.ts'
import { createSignInLimit, type SignInLimit } from './sign-in-limit.ts'

/**
 * What limits the requests of an instance, of all its accounts together: memory of bodies and answers, wrong keys,
 * sign-ins that fail, and how long an answer continues for a caller who lost access.
 */
export interface RequestLimits {
  readonly bodies: BodyRoom
  readonly answers: AnswerRoom
  /** Counts wrong keys and passwords, together with those of SMTP. */
  readonly failedLogins: FailedLogins
  /** Sign-ins with a password. */
  readonly passwords: SignInLimit
  /** Sign-ins with a provider. */
  readonly providers: SignInLimit
  readonly openAnswers: OpenAnswers
}

/** The limits of a new instance. */
export function createRequestLimits(
  { limits }: Pick<Config, 'limits'>,
  failedLogins: FailedLogins,
): RequestLimits {
  return {
    bodies: createBodyRoom(limits.requestBytes, systemClock),
    answers: createAnswerRoom(),
    failedLogins,
    passwords: createSignInLimit(),
    providers: createSignInLimit(),
    openAnswers: new OpenAnswers(),
  }
}

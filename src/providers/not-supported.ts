import { z } from 'zod'

/** A member that a provider has and Localpost has not. @param why  As the middle of a sentence. */
export const notSupported = (why: string): z.ZodOptional<z.ZodNever> =>
  z.never({ error: `is not supported: ${why}. Leave it out` }).optional()

import { z } from 'zod'

/** A member of a provider that Localpost does not have. @param why  As the middle of a sentence. */
export const notSupported = (why: string): z.ZodOptional<z.ZodNever> =>
  z.never({ error: `is not supported: ${why}. Leave it out` }).optional()

import { unpaced } from '../../src/core/yield.ts'
import { codeSteps } from '../../src/reading/codes.ts'

/** The one-time codes in a text, found at once. */
export const extractCodes = (text: string): string[] => unpaced(codeSteps(text))

import { readHtmlFacts } from './html-facts.ts'
import { readRawFacts } from './raw-facts.ts'
import { checkMail } from './run.ts'

/** The checks as work of the thread. */
export const checkJobs: {
  checks: typeof checkMail
  htmlFacts: typeof readHtmlFacts
  rawFacts: typeof readRawFacts
} = { checks: checkMail, htmlFacts: readHtmlFacts, rawFacts: readRawFacts }

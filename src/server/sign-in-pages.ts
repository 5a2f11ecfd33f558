import { LocalpostError } from '../core/errors.ts'
import { type Answer, errorAnswer } from './answer.ts'
import { escapeText, plainPage } from './plain-page.ts'

/** Handles a navigation of a browser. Errors are a page with a link back for people, and JSON for programs. */
export async function orErrorPage(
  headers: Pick<Headers, 'get'>,
  run: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof LocalpostError) || !headers.get('accept')?.includes('text/html')) throw error
    const { status, headers: own } = errorAnswer(error)
    const ways =
      '<p><a href="start">Try again</a> · <a href="start?prompt=login">Sign in as another user</a> · <a href="../../">Back</a></p>'
    return plainPage('Sign-in failed', `<p>${escapeText(error.message)}</p>${ways}`, status, {
      ...(own['retry-after'] !== undefined && { 'retry-after': own['retry-after'] }),
    })
  }
}

/**
 * Opens the inbox page. A redirect would not work: after a navigation from another site, browsers treat all redirects
 * as cross-site and do not send the session's cookie.
 */
export function signedInPage(): Answer {
  const ways =
    '<meta http-equiv="refresh" content="0; url=../../"><p><a href="../../">Go to the inbox</a></p>'
  return plainPage('Signed in', ways, 200)
}

/**
 * Refuses everything except navigations of the whole window, such as images and frames of other pages.
 *
 * @throws forbidden_origin
 */
export function assertNavigation(headers: Pick<Headers, 'get'>): void {
  const to = headers.get('sec-fetch-dest')
  if (to === null || to === 'document') return
  throw new LocalpostError(
    'forbidden_origin',
    'Sign-in takes place in a window of its own, not inside a page.',
  )
}

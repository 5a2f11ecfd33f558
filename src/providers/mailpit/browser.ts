// Who made a request: a person in a browser, what a page embeds, or a program.

/** Whether a browser shows the answer as a page or in a frame. */
export function isShown(headers: Pick<Headers, 'get'>): boolean {
  const target = headers.get('sec-fetch-dest')
  // Browsers leave Sec-Fetch headers out over plain HTTP. Cypress sends the User-Agent of its browser, but asks for anything.
  return target === null ? /text\/html/.test(headers.get('accept') ?? '') : target !== 'empty'
}

/**
 * Whether a program made the request, or the script of a page: no person followed an address, and nothing embedded it.
 * An address in a mail causes only the other kind.
 */
export function isFromProgram(headers: Pick<Headers, 'get'>): boolean {
  const [target, site] = [headers.get('sec-fetch-dest'), headers.get('sec-fetch-site')]
  // A page of another port is `same-site`, and reads nothing of the answer, but the request would have its effect.
  if (site !== null || target !== null)
    return (site ?? 'same-origin') === 'same-origin' && (target ?? 'empty') === 'empty'
  // Browsers leave Sec-Fetch headers out over plain HTTP.
  const isBrowser = /^Mozilla\//i.test(headers.get('user-agent') ?? '')
  return !isBrowser && !/text\/html|^image\//.test(headers.get('accept') ?? '')
}

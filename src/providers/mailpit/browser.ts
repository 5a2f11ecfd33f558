// Who made a request: a person in a browser, what a page embeds, or a program.

/** Whether a browser may show the answer: it opens the address, or a page embeds it. Scripts and programs only read it. */
export function mayBeShown(headers: Pick<Headers, 'get'>): boolean {
  const destination = headers.get('sec-fetch-dest')
  if (destination !== null) return destination !== 'empty'
  // Browsers leave Sec-Fetch headers out over plain HTTP. Cypress sends the User-Agent of its browser, but asks for anything.
  return /text\/html/.test(headers.get('accept') ?? '')
}

/**
 * Whether a program made the request, or a script of a page of this server. False for what an address in a mail causes:
 * a person opens it, or a page embeds it.
 */
export function isFromProgram(headers: Pick<Headers, 'get'>): boolean {
  const destination = headers.get('sec-fetch-dest')
  const site = headers.get('sec-fetch-site')
  // A page of another port is `same-site`, and reads nothing of the answer, but the request would have its effect.
  if (site !== null && site !== 'same-origin') return false
  if (destination !== null && destination !== 'empty') return false
  if (site !== null || destination !== null) return true
  // Browsers leave Sec-Fetch headers out over plain HTTP.
  if (/^Mozilla\//i.test(headers.get('user-agent') ?? '')) return false
  return !/text\/html|^image\//.test(headers.get('accept') ?? '')
}

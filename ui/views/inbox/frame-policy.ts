/**
 * Allows frames of this page to show only mails of this origin: otherwise a link in a mail that is followed within its
 * frame could request any path of the server. The server cannot set this in a header, because a path in a policy needs
 * the host by which the page is reached, and the path where it is mounted.
 */
export function allowOnlyMailFrames(): void {
  if (document.querySelector(`meta[name="${name}"]`)) return
  const meta = document.createElement('meta')
  meta.name = name
  meta.httpEquiv = 'Content-Security-Policy'
  const { host, pathname } = new URL('dev/inbox/', location.href)
  // A policy cannot contain an IPv6 address.
  meta.content = `frame-src ${host.startsWith('[') ? "'self'" : `${host}${pathname}`}`
  document.head.append(meta)
}

const name = 'frames'

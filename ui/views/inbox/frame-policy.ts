/**
 * Lets frames of this page show mails and nothing else of this origin: a link in a mail that is followed within its
 * frame would else make the browser ask for any path of the server. The server cannot say so in its header, as a path
 * in a policy needs the host by which the page is reached, and where the page is mounted.
 */
export function allowOnlyMailFrames(): void {
  if (document.querySelector(`meta[name="${name}"]`)) return
  const meta = document.createElement('meta')
  meta.name = name
  meta.httpEquiv = 'Content-Security-Policy'
  const { host, pathname } = new URL('dev/inbox/', location.href)
  // A policy has no words for an IPv6 address.
  meta.content = `frame-src ${host.startsWith('[') ? "'self'" : `${host}${pathname}`}`
  document.head.append(meta)
}

const name = 'frames'

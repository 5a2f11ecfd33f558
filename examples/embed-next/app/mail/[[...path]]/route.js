import { localpost } from '../../../lib/localpost.js'

async function handle(request) {
  const url = new URL(request.url)
  // The page needs the trailing slash, because its files have relative URLs.
  if (url.pathname === '/mail') return new Response(null, { status: 307, headers: { location: '/mail/' } })
  url.pathname = url.pathname.slice('/mail'.length)
  const { method, headers, body, signal } = request
  return (await localpost()).fetch(new Request(url, { method, headers, body, signal, duplex: 'half' }))
}

export { handle as DELETE, handle as GET, handle as PATCH, handle as POST, handle as PUT }
export const dynamic = 'force-dynamic'

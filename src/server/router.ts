import type { H3, H3Event, HTTPMethod, Middleware } from 'h3'
import { LocalpostError } from '../core/errors.ts'
import { escapedHtml } from '../core/text.ts'
import { type Answer, bytesAnswer } from './answer.ts'
import type { Face } from './face.ts'
import { prefixesOf } from './faces.ts'
import {
  admitCaller,
  setRoute,
  injectFault,
  logRequest,
  type RequestDeps,
  watchAccess,
} from './middleware.ts'
import type { Need, Route } from './route.ts'
import { routeHandler } from './route-handler.ts'
import { needOf } from './auth.ts'
import { plainPage } from './plain-page.ts'
import { pageFiles } from './ui.ts'

/** Adds routes to h3, each with the middleware of its access, and the answer to other methods of their paths. */
export function addRoutes(h3: H3, routes: readonly Route[], deps: RequestDeps): void {
  for (const route of routes) {
    const handler = routeHandler(route, deps)
    const options = middlewareOf(deps, { access: route.access, need: needOf(route), path: route.path })
    for (const path of pathsOf(route))
      for (const method of methodsOf(route)) h3.on(method, toPattern(path), handler, options)
  }
  addRefusals(h3, methodsByPath(routes), deps)
}

/**
 * Adds the page, and the answers to all unknown paths: those of h3 would echo the URL, and would not use 405.
 *
 * @param faces  Of the providers whose APIs this has.
 */
export function addRest(h3: H3, faces: readonly Face[], uiDir: string, deps: RequestDeps): void {
  for (const [path, answer] of Object.entries(pageFiles)) {
    const options = middlewareOf(deps, { access: 'open', path })
    for (const method of ['GET', 'HEAD'] as const)
      h3.on(method, toPattern(path), (event) => answer(uiDir, nameOf(event)), options)
  }
  addRefusals(h3, new Map(Object.keys(pageFiles).map((path) => [path, 'GET, HEAD'])), deps)
  for (const face of faces) addUnsupported(h3, face, middlewareOf(deps, { access: face.access ?? 'key' }))
  // A path that does not exist requires a key like one that does.
  h3.all('/v1/**', refusePath, middlewareOf(deps, { access: 'key' }))
  for (const face of faces)
    for (const prefix of prefixesOf(face))
      h3.all(`${prefix}/**`, refusePath, middlewareOf(deps, { access: face.access ?? 'key' }))
  h3.all('/dev/**', refusePath, middlewareOf(deps, { access: 'local' }))
  h3.all('/**', (event) => mailpitRedirect(event) ?? missingPage(event) ?? refusePath(event))
}

/** @param given.path  The path of the route, for logs and traces; none for answers to unknown paths. */
function middlewareOf(
  deps: RequestDeps,
  { access, need, path }: { access: Route['access']; need?: (query: string) => Need; path?: string },
): { middleware: Middleware[] } {
  const named = path === undefined ? [] : [setRoute(path)]
  const admit = admitCaller(deps, access, need)
  if (access === 'key') return { middleware: [...named, logRequest, injectFault(deps), admit] }
  return { middleware: [...named, ...(access === 'local' ? [admit, watchAccess(deps, need)] : [admit])] }
}

/** @param methods  The methods that each path has. */
function addRefusals(h3: H3, methods: ReadonlyMap<string, string>, deps: RequestDeps): void {
  for (const [path, allow] of methods) {
    const refuse = (event: H3Event): never => {
      const isOther = deps.strict && event.url.pathname.endsWith('/') && path !== '/'
      return isOther ? refusePath(event) : refuseMethod(event, allow)
    }
    h3.all(
      toPattern(path),
      refuse,
      middlewareOf(deps, { access: accessOfRefusal(path, deps.faceOf(path)), path }),
    )
  }
}

/** Sends a reader of `//view/x` to `/view/x`, as Mailpit does; null for other requests. */
function mailpitRedirect({ req, url }: H3Event): Answer | null {
  if (!/^\/{2,}view\//.test(url.pathname) || !/^(?:GET|HEAD)$/.test(req.method)) return null
  return bytesAnswer('', { location: url.pathname.replace(/^\/+/, '/') + url.search }, 301)
}

/**
 * The answer to a person whose browser opens a path that does not exist; null for programs, whatever they accept. Browsers
 * name what they load only to this machine and over HTTPS; elsewhere a person gets the error of a program.
 */
function missingPage({ req, url }: H3Event): Answer | null {
  if (!/^(?:GET|HEAD)$/.test(req.method) || req.headers.get('sec-fetch-dest') !== 'document') return null
  // Relative, because a proxy may serve the page below a path.
  const depth = url.pathname.split('/').length - 2
  const home = depth > 50 ? '/' : '../'.repeat(depth) || './'
  const text = `<p>Nothing is at <code>${escapedHtml(url.pathname)}</code>. The link may be old or incomplete.</p>`
  return plainPage({
    title: 'There is no such page',
    content: `${text}<p><a href="${home}">Go to the inbox</a></p>`,
    status: 404,
  })
}

/** Answers what a provider has and Localpost has not. */
function addUnsupported(h3: H3, face: Face, options: { middleware: Middleware[] }): void {
  for (const { method, path, what } of face.unsupported) {
    const refuse = (): never => {
      throw new LocalpostError('not_supported', `${what}: Localpost does not have this operation of the API.`)
    }
    const pattern = toPattern(face.prefix + path)
    if (method) h3.on(method, pattern, refuse, options)
    else h3.all(pattern, refuse, options)
  }
}

/** The methods that a route answers. h3 would answer HEAD with a route of the path for all methods. */
function methodsOf({ method }: Route): HTTPMethod[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method]
}

function pathsOf({ path, alsoAt = [] }: Route): readonly string[] {
  return [path, ...alsoAt]
}

/** `/v1/emails/{id}` as h3 writes it. */
function toPattern(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1')
}

/**
 * What a caller needs to be told that a path has no such method: the access of the area that the path is in. That of its rows
 * may be wider: the document of `/v1` and the sign-in of the page are open, but only for their own methods.
 */
function accessOfRefusal(path: string, face: Face | null): Route['access'] {
  if (face) return face.access ?? 'key'
  if (path.startsWith('/t/')) return 'public'
  if (path.startsWith('/v1/')) return 'key'
  return path.startsWith('/dev/') || path === '/metrics' ? 'local' : 'open'
}

/** The parameter `name` of a path; empty if it is not encoded as a URL. */
function nameOf({ context }: H3Event): string {
  try {
    return decodeURIComponent(context.params?.['name'] ?? '')
  } catch {
    return ''
  }
}

function methodsByPath(routes: readonly Route[]): Map<string, string> {
  const methods = new Map<string, Set<string>>()
  for (const route of routes)
    for (const path of pathsOf(route)) {
      const known = methods.get(path) ?? new Set()
      for (const method of methodsOf(route)) known.add(method)
      methods.set(path, known)
    }
  return new Map([...methods].map(([path, known]) => [path, [...known].sort().join(', ')]))
}

function refuseMethod(event: H3Event, allow: string): never {
  const message = `${event.req.method} is not a method of ${event.url.pathname}. Use one of: ${allow}.`
  throw new LocalpostError('method_not_allowed', message, { headers: { allow } })
}

function refusePath(event: H3Event): never {
  throw new LocalpostError('not_found', `There is nothing at ${event.url.pathname}. Check the path.`)
}

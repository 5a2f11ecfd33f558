import type { H3Event } from 'h3'
import { H3 } from 'h3'
import { LocalpostError } from '../core/errors.ts'
import type { DispatchDeps } from './dispatch.ts'
import { dispatcher } from './dispatch.ts'
import { runRoute } from './run-route.ts'
import type { Exchange } from './request-log.ts'
import type { Route } from './route.ts'
import { needOf } from './scopes.ts'
import { pageFile, pagePaths } from './ui.ts'

/**
 * Adds the routes and the page to h3. Unknown paths get our own answer too: that of h3 would echo the URL, and would
 * not use 405.
 */
export function createRouter(routes: readonly Route[], uiDir: string, deps: DispatchDeps): H3 {
  const h3 = new H3({ silent: true, allowMalformedURL: true })
  for (const route of routes) {
    const run = (event: H3Event, exchange: Exchange): unknown => runRoute(route, event, exchange, deps)
    const handle = dispatcher(deps, route.access, run, needOf(route))
    h3.on(route.method, toPattern(route.path), handle)
    if (route.method === 'GET') h3.on('HEAD', toPattern(route.path), handle)
  }
  for (const path of pagePaths) {
    const page = dispatcher(deps, 'open', (event) => pageFile(uiDir, path, nameOf(event)))
    for (const method of ['GET', 'HEAD'] as const) h3.on(method, toPattern(path), page)
  }
  for (const [path, allow] of methodsByPath(routes)) {
    const access = areaOf(path)
    h3.all(
      toPattern(path),
      dispatcher(deps, access, (event) => {
        const isOther = deps.strict && event.url.pathname.endsWith('/') && path !== '/'
        return isOther ? refusePath(event) : refuseMethod(event, allow)
      }),
    )
  }
  // A path that does not exist requires a key like one that does.
  h3.all('/v1/**', dispatcher(deps, 'key', refusePath))
  h3.all('/dev/**', dispatcher(deps, 'local', refusePath))
  h3.all('/**', dispatcher(deps, 'none', refusePath))
  return h3
}

/** The routes that h3 has, as `GET /v1/emails`; without the page, HEAD, and the answers for unknown paths. */
export function registeredRoutes(h3: H3): string[] {
  return h3['~routes']
    .filter(
      ({ method, route = '' }) => method && method !== 'HEAD' && !pagePaths.includes(fromPattern(route)),
    )
    .map(({ method, route = '' }) => `${method} ${fromPattern(route)}`)
}

// `/v1/emails/{id}` as h3 writes it, and back.
function toPattern(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1')
}

function fromPattern(pattern: string): string {
  return pattern.replace(/:(\w+)/g, '{$1}')
}

function areaOf(path: string): Route['access'] {
  if (path.startsWith('/t/')) return 'public'
  return path.startsWith('/v1/') ? 'key' : path.startsWith('/dev/') ? 'local' : 'open'
}

function nameOf(event: H3Event): string | undefined {
  const name = event.context.params?.['name']
  if (name === undefined) return undefined
  try {
    return decodeURIComponent(name)
  } catch {
    return ''
  }
}

function methodsByPath(routes: readonly Route[]): Map<string, string> {
  const methods = new Map<string, Set<string>>(pagePaths.map((path) => [path, new Set(['GET', 'HEAD'])]))
  for (const { path, method } of routes) {
    const known = methods.get(path) ?? new Set()
    known.add(method)
    if (method === 'GET') known.add('HEAD')
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

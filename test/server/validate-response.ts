import { Ajv2020 } from 'ajv/dist/2020.js'
import { resolveOptions } from '../../src/options/options.ts'
import { createApp, type App } from '../../src/server/app.ts'
import { createRequestLimits } from '../../src/server/request-limits.ts'
import type { ProviderParts } from '../../src/providers/provider.ts'
import { mcpRoutes } from '../../src/mcp/routes.ts'
import type { ToolAccount } from '../../src/mcp/tool.ts'
import { providerRoutes } from '../../src/providers/providers.ts'
import { createFailedLogins } from '../../src/keys/failed-logins.ts'
import { createFindFace, facesOf } from '../../src/server/faces.ts'
import { createSessionLog } from '../../src/capture/session-log.ts'
import { createRequestLog } from '../../src/server/request-log.ts'
import { toOpenApi, type OpenApiDocument } from '../../src/server/openapi.ts'
import type { ServerDeps } from '../../src/server/deps.ts'

/**
 * Proves that an answer is one that the OpenAPI document promises: its status, its media type, and its body with
 * exactly the members that are described. An answer of a path or method that is not in the document must be an error
 * in the error shape.
 *
 * @param response  Is read as a copy, so it can still be read.
 */
export async function assertMatchesOpenApi(request: Request, response: Response): Promise<void> {
  const { pathname } = new URL(request.url)
  const face = faceOf(pathname)
  if (!face && !/^\/(?:v1|dev)(?:\/|$)/.test(pathname) && response.ok) return
  const method = request.method === 'HEAD' ? 'get' : request.method.toLowerCase()
  const what = `${request.method} ${pathname} ${response.status}`
  const path = matchPath(pathname)
  const operation = path === undefined ? undefined : (document.paths[path]?.[method] as Operation | undefined)
  const promised = operation?.responses[String(response.status)]
  if (operation && !promised) throw new Error(`${what}: the document has no such status`)
  const type = (response.headers.get('content-type') ?? '').replace(/;.*/, '')
  const content = promised?.content ?? errorContent
  const found = Object.keys(content).find((known) => known === '*/*' || known.replace(/;.*/, '') === type)
  if (found === undefined) throw new Error(`${what}: the document has no body of type ${type}`)
  if (found !== 'application/json' || request.method === 'HEAD') return
  const body: unknown = await response.clone().json()
  // Those of the protocol are for its client, and not in the document.
  if (path === '/mcp' && typeof body === 'object' && body !== null && 'jsonrpc' in body) return
  if (!promised && face) return void face.errorSchema.parse(body)
  const pointer =
    path && promised
      ? `doc#/paths/${escaped(path)}/${method}/responses/${response.status}/content/application~1json/schema`
      : 'doc#/components/schemas/ErrorBody'
  const validate = ajv.getSchema(pointer) ?? ajv.compile({ $ref: pointer })
  if (validate(body) !== true) {
    throw new Error(`${what}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(body).slice(0, 2000)}`)
  }
}

const ofProviders = await providerRoutes({} as ProviderParts)

/** The app with nothing behind it: its table and its document are all there, its handlers are not to be called. */
export function hollowApp(over: Partial<ServerDeps> = {}): App {
  const clock = { now: () => 0, after: () => () => undefined }
  const ids = { next: (prefix: string) => `${prefix}_0`, raiseTo: () => undefined }
  return createApp({
    emails: {},
    sending: {},
    domains: {},
    audiences: { contacts: {} },
    templates: {},
    webhooks: {},
    inbox: { bulk: { onProgress: () => undefined }, removals: { onChanged: () => undefined } },
    keys: { scopeOf: (key: string) => (key === 'the-only-key-there-is' ? 'full' : null) },
    users: null,
    sessions: { ownerOf: () => null },
    rules: {},
    faults: { http: () => null, rateLimit: () => null },
    store: { changes: () => () => undefined },
    clock,
    ids,
    log: createRequestLog({ clock, ids }),
    smtpSessions: createSessionLog({ clock, ids }),
    config: {
      allowHosts: [],
      publicUrl: null,
      requireKey: false,
      rateLimit: null,
      trustProxy: [],
      limits: resolveOptions().limits,
    },
    version: '0.0.0',
    uiDir: '/nowhere',
    // The rows only.
    furtherRoutes: [...ofProviders, ...mcpRoutes({} as ToolAccount, () => undefined)],
    requests: new Map(),
    limits: createRequestLimits(resolveOptions(), createFailedLogins(clock)),
    instance: null,
    listener: () => null,
    onError: () => undefined,
    ...over,
  } as unknown as ServerDeps)
}

interface Operation {
  responses: Record<string, { content: Record<string, unknown> }>
}

const { routes } = hollowApp()
const document: OpenApiDocument = toOpenApi(routes, '0.0.0')
const faceOf = createFindFace(facesOf(routes))
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
ajv.addSchema(document, 'doc')
const errorContent: Record<string, unknown> = { 'application/json': {} }

const forms = Object.keys(document.paths)
  .map((path) => ({
    path,
    form: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}/?$`),
  }))
  // Literal segments win over parameters.
  .sort((a, b) => a.path.split('{').length - b.path.split('{').length)

function matchPath(pathname: string): string | undefined {
  // Only escapes that need not be there: `/v%31/emails` is `/v1/emails`, `a%2Fb` stays one segment.
  const plain = pathname.replace(/%(?:2[de]|3\d|[46][1-9a-f]|[57][0-9a]|5f|7e)/gi, decodeURIComponent)
  return forms.find(({ form }) => form.test(plain))?.path
}

function escaped(path: string): string {
  return encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'))
}

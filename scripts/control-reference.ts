/** The parts of an OpenAPI document that the reference shows. */
interface Document {
  paths: Record<string, Record<string, Operation>>
}

interface Operation {
  tags?: string[]
  summary?: string
  parameters?: { name: string; in: string }[]
  requestBody?: { content: Record<string, { schema?: Schema }> }
  responses: Record<string, { description?: string }>
}

interface Schema {
  $ref?: string
  properties?: Record<string, unknown>
  required?: string[]
  anyOf?: Schema[]
  items?: Schema
  type?: string | string[]
}

/**
 * Writes docs/control-api.md from the OpenAPI document that an instance serves.
 *
 * @param document  As `GET /dev/openapi.json` answers it.
 */
export function renderControlReference(document: Document): string {
  const byTag = new Map<string, string[]>()
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (path.startsWith('/v1/') && path !== '/v1/openapi.json') continue
      const tag = operation.tags?.[0] ?? 'Other'
      byTag.set(tag, [...(byTag.get(tag) ?? []), rowOf(method, path, operation)])
    }
  }
  const sections = [...byTag].map(([tag, rows]) => `## ${tag}\n\n${heading}\n${rows.join('\n')}\n`)
  return `${introduction}\n${sections.join('\n')}`
}

const heading = '| call | what it does | takes | answers | error codes |\n|---|---|---|---|---|'

const introduction = `# The control API

<!-- Written by \`npm run docs\` from the OpenAPI document. -->

\`/dev\` has the operations that a local tool needs and the service does not have; code that works against \`/v1\`
here works against the service. \`GET /dev/openapi.json\` describes \`/v1\` and \`/dev\` in full, with every schema
and every payload of webhooks. \`GET /v1/openapi.json\` describes \`/v1\` alone, for generators of clients; the package has
both: \`localpost/openapi.json\` and \`localpost/openapi-v1.json\`.

- No key is needed under a loopback name (\`localhost\`, \`127.0.0.1\`) on a listener that is bound to loopback; a
  wrong one is refused. Bound elsewhere, or under a name of \`publicUrl\` or \`allowHosts\` (a tunnel, a proxy),
  \`/dev\` requires \`Authorization: Bearer <API_KEY>\`, or the session cookie, which \`POST /dev/session\` sets for a
  key or a password, and \`/dev/oidc\` for a user of an OpenID provider.
- \`/livez\` and \`/readyz\` need no key anywhere. They are for the probes of containers and load balancers.
- \`/metrics\` has the rules of \`/dev\`; [the guide for operators](guides/operators.md) has its names.
- Pages of other origins are refused, and so are Host names that the listener does not serve.
- Bodies are JSON, errors have [one shape](errors.md). A body has at most 1 MiB; templates and broadcasts 5 MiB,
  sends and imports 50 MiB, the sign-in 4 KiB. More is 413. Every call that changes something may also answer \`store_full\`,
  \`store_failed\`, \`store_read_only\` or \`store_unknown\`. Lists take \`cursor\` and \`limit\` (at most 500) and
  answer \`count\` and \`cursor\`.
- \`GET /dev/events\` streams \`email.created\`, \`email.updated\`, \`email.deleted\`, \`emails.changed\`,
  \`bulk.progress\`, \`domain.updated\`, \`tags.changed\`, \`list.changed\` and \`request.logged\`; a client that reconnects with
  \`Last-Event-ID\` gets the events that it missed, or \`gap\` if they are no longer known.
- \`POST /dev/emails\` takes whole requests, one or an array of at most 1,000, which are stored in one commit or not at
  all. A request has the members of \`POST /v1/emails\` and \`headers\`, attachments by \`content\` and \`content_id\`,
  \`metadata\`, \`tags\`, \`tracking\`, \`send_at\`, or a whole message as \`raw\`; unknown members are refused. What is
  sent later is at \`/dev/scheduled\` until then.
- A change of many mails (\`PATCH\` and \`DELETE /dev/inbox\`) runs in small steps, one change at a time, and its
  answer comes at the end. \`GET /dev/inbox/bulk\` and the event \`bulk.progress\` report its progress; \`DELETE
  /dev/inbox/bulk/{id}\` cancels it: mails that are done stay changed, and its answer has \`"cancelled": true\`. A
  change of more than 100 mails is one event \`emails.changed\` at its end instead of one for each mail. So is
  the return of mails whose removal is undone.
`

function rowOf(method: string, path: string, operation: Operation): string {
  const query = (operation.parameters ?? [])
    .filter((parameter) => parameter.in === 'query')
    .map(({ name }) => name)
  const takes = [...(query.length > 0 ? [`query: ${query.map(code).join(' ')}`] : []), ...bodyOf(operation)]
  const statuses = Object.keys(operation.responses)
  const success = statuses.filter((status) => /^[23]/.test(status)).join(', ')
  const cells = [
    code(`${method.toUpperCase()} ${path}`),
    operation.summary ?? '',
    takes.join('; '),
    success,
    errorsOf(operation),
  ]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

function bodyOf(operation: Operation): string[] {
  return Object.entries(operation.requestBody?.content ?? {}).map(([type, { schema }]) => {
    if (type !== 'application/json') return code(type)
    return membersOf(schema).join(' ') || 'JSON'
  })
}

function membersOf(schema: Schema | undefined): string[] {
  const [first] = schema?.anyOf ?? []
  const shown = schema?.properties ? schema : (first ?? schema?.items)
  const ref = schema?.$ref ?? shown?.$ref
  if (!shown?.properties) return ref ? [code(ref.split('/').at(-1) ?? '')] : []
  return Object.keys(shown.properties).map((name) => code(shown.required?.includes(name) ? name : `${name}?`))
}

// Those that only this call has: the ones of access, bodies and the store are common to all.
function errorsOf(operation: Operation): string {
  const codes = Object.entries(operation.responses)
    .filter(([status]) => /^[45]/.test(status))
    .flatMap(([, { description }]) =>
      [...(description ?? '').matchAll(/`(\w+)`:/g)].map((match) => match[1] ?? ''),
    )
  return [...new Set(codes)]
    .filter((name) => !common.has(name))
    .map(code)
    .join(' ')
}

const common = new Set(
  'missing_api_key invalid_api_key forbidden_host forbidden_origin internal_error closed payload_too_large invalid_json unsupported_media_type store_full store_failed store_read_only store_unknown validation_error'.split(
    ' ',
  ),
)

function code(text: string): string {
  return `\`${text}\``
}

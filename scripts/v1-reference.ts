/** The parts of an OpenAPI document that the reference of `/v1` shows. */
interface Document {
  paths: Record<string, Record<string, Operation>>
  components?: { schemas?: Record<string, Schema> }
}

interface Operation {
  summary?: string
  description?: string
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema?: Schema }[]
  requestBody?: { description?: string; content: Record<string, { schema?: Schema }> }
  responses: Record<string, { description?: string; content?: Record<string, { schema?: Schema }> }>
}

interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  enum?: unknown[]
  const?: unknown
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  additionalProperties?: boolean | Schema
}

/**
 * Writes docs/v1.md from the OpenAPI document that an instance serves.
 *
 * @param document  As `GET /dev/openapi.json` answers it.
 */
export function renderV1Reference(document: Document): string {
  const schemas = document.components?.schemas ?? {}
  const sections = Object.entries(document.paths)
    .filter(([path]) => path.startsWith('/v1/') && path !== '/v1/openapi.json')
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => sectionOf(method, path, operation, schemas)),
    )
  return `${introduction}\n${sections.join('\n')}`
}

const introduction = `# The API: \`/v1\`

<!-- Written by \`npm run docs\` from the OpenAPI document. -->

Every call requires \`Authorization: Bearer <API_KEY>\`. Bodies are JSON, errors have [one shape](errors.md), and what the
interface leaves open is [decided here](decisions.md). \`GET /v1/openapi.json\` is the same as an OpenAPI document, and needs no key.

Clients can be generated from that document with openapi-typescript, openapi-python-client, oapi-codegen (with \`skip-prune\`), ogen and
openapi-generator. The last one cannot write what webhooks post in Python and TypeScript: give it
\`--global-property models,supportingFiles,apis=Emails:Domains:Audiences\`, and for Go also
\`--additional-properties useOneOfDiscriminatorLookup=true\`.
`

type Schemas = Readonly<Record<string, Schema>>

function sectionOf(method: string, path: string, operation: Operation, schemas: Schemas): string {
  const parts = [`## \`${method.toUpperCase()} ${path}\``, `${operation.summary ?? ''}.`]
  const parameters = operation.parameters ?? []
  if (parameters.length > 0) {
    const rows = parameters.map(({ name, in: place, required, description, schema }) =>
      row([code(name), place, required ? 'yes' : '', typeOf(schema ?? {}, schemas), description ?? '']),
    )
    parts.push(
      ['| parameter | in | required | type | what it is |', '|---|---|---|---|---|', ...rows].join('\n'),
    )
  }
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema
  if (body) parts.push(`Body: ${operation.requestBody?.description ?? ''}`.trim(), tableOf(body, schemas))
  for (const [status, { description, content }] of Object.entries(operation.responses)) {
    if (!status.startsWith('2')) continue
    const schema = content?.['application/json']?.schema
    parts.push(`Answers ${status}${schema ? ':' : `, ${description ?? ''}`}`)
    if (schema) parts.push(tableOf(schema, schemas))
  }
  const errors = Object.entries(operation.responses).filter(([status]) => /^[45]/.test(status))
  const codes = errors.map(([status, { description }]) => {
    const names = [...(description ?? '').matchAll(/`(\w+)`:/g)].map((match) => code(match[1] ?? ''))
    return `${status} ${names.join(' ')}`
  })
  if (codes.length > 0) parts.push(`Errors: ${codes.join(', ')}.`)
  return `${parts.join('\n\n')}\n`
}

function tableOf(schema: Schema, schemas: Schemas): string {
  const rows = rowsOf(resolved(schema, schemas), schemas, '', 0)
  if (rows.length === 0) return typeOf(schema, schemas)
  return ['| member | required | type | what it is |', '|---|---|---|---|', ...rows].join('\n')
}

// Members of members stand below them, with their path; three levels are as deep as the interface goes.
function rowsOf(schema: Schema, schemas: Schemas, prefix: string, depth: number): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const path = `${prefix}${name}`
    const whole = resolved(member, schemas)
    const cells = [
      code(path),
      schema.required?.includes(name) ? 'yes' : '',
      typeOf(member, schemas),
      member.description ?? whole.description ?? '',
    ]
    const inner = resolved(whole.items ?? whole, schemas)
    const deeper = depth < 3 ? membersOf(inner, schemas, `${path}${whole.items ? '[]' : ''}.`, depth + 1) : []
    return [row(cells), ...deeper]
  })
}

// Of a choice between objects, the members of each, once: a member that not all have says so.
function membersOf(schema: Schema, schemas: Schemas, prefix: string, depth: number): string[] {
  if (schema.properties) return rowsOf(schema, schemas, prefix, depth)
  const choices = choicesOf(schema, schemas)
  const names = [...new Set(choices.flatMap((choice) => Object.keys(choice.properties ?? {})))]
  return names.flatMap((name) => {
    const having = choices.filter((choice) => choice.properties?.[name])
    const members = having.flatMap((choice) => choice.properties?.[name] ?? [])
    const types = [...new Set(members.flatMap((member) => typeOf(member, schemas).split(', ')))]
    const isEverywhere = having.length === choices.length
    const cells = [
      code(`${prefix}${name}`),
      choices.every((choice) => choice.required?.includes(name)) ? 'yes' : '',
      types.join(', '),
      members.find(({ description }) => description)?.description ?? '',
      isEverywhere ? '' : whichOf(having),
    ]
    const note = cells.splice(3, 2).filter(Boolean).join('; ')
    return [row([...cells, note])]
  })
}

/** The objects that a schema chooses between; none where it is no such choice. */
function choicesOf(schema: Schema, schemas: Schemas): Schema[] {
  const choices = (schema.anyOf ?? schema.oneOf ?? []).map((choice) => resolved(choice, schemas))
  return choices.length > 1 && choices.every(({ properties }) => properties) ? choices : []
}

/** In which of the choices a member is, by the member that tells them apart. */
function whichOf(having: readonly Schema[]): string {
  const values = having.flatMap(({ properties }) => {
    const { const: only, enum: several } = properties?.['status'] ?? {}
    return several ?? (only === undefined ? [] : [only])
  })
  return values.length === 0
    ? 'only in some'
    : `with status ${values.map((value) => code(String(value))).join(', ')}`
}

function resolved(schema: Schema, schemas: Schemas): Schema {
  const found = schema.$ref ? (schemas[schema.$ref.split('/').at(-1) ?? ''] ?? schema) : schema
  const choices = found.anyOf ?? found.oneOf
  if (found.properties || !choices) return found
  // `null` or something: something.
  const real = choices.filter((choice) => choice.type !== 'null')
  return real.length === 1 && real[0] ? resolved(real[0], schemas) : found
}

function typeOf(schema: Schema, schemas: Schemas): string {
  if (schema.$ref) return typeOf(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, schemas)
  if (schema.enum) return schema.enum.map((value) => code(JSON.stringify(value))).join(', ')
  if (schema.const !== undefined) return code(JSON.stringify(schema.const))
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return [...new Set(choices.map((choice) => typeOf(choice, schemas)))].join(' or ')
  if (schema.type === 'array') return `array of ${typeOf(schema.items ?? {}, schemas)}`
  if (Array.isArray(schema.type)) return schema.type.join(' or ')
  // The size of an integer matters to generators of clients, not to readers.
  return schema.format && schema.format !== 'int64'
    ? `${schema.type ?? 'any'} (${schema.format})`
    : (schema.type ?? 'any')
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
}

function code(text: string): string {
  return `\`${text}\``
}

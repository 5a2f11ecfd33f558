import { z } from 'zod'
import { LocalpostError } from '../src/core/errors.ts'
import { providerSimulators } from '../src/providers/simulators.ts'
import { webhookShapes } from '../src/providers/webhook-shapes.ts'
import type { Provider, ProviderParts } from '../src/providers/provider.ts'
import { needOf } from '../src/server/auth.ts'
import { errorsOf } from '../src/server/route-errors.ts'
import type { Route } from '../src/server/route.ts'

/** The end of what is written by hand in the page of a provider. */
const mark = /<!-- The rest is written by [^>]* -->\n/

/**
 * Writes the tables of docs/providers/<name>.md from the table of the provider.
 *
 * @param page  The page as it is; what stands before the mark is kept.
 */
export async function renderProviderReference(provider: Provider, page: string): Promise<string> {
  const found = mark.exec(page)
  if (!found) throw new Error(`The page of ${provider.face.name} lacks its mark.`)
  const kept = page.slice(0, found.index + found[0].length)
  const routesOf = await provider.load()
  const routes = routesOf({} as ProviderParts)
  const sections = [
    operations(provider, routes),
    ...routes.flatMap((route) => members(route)),
    events(provider),
    addresses(provider),
    errors(provider, routes),
    unsupported(provider),
  ]
  return [kept, ...sections.filter((section) => section !== '')].join('\n')
}

function operations({ face }: Provider, routes: readonly Route[]): string {
  const rows = routes.map(({ method, path, summary, ...route }) => {
    return `| \`${method} ${path}\` | ${summary} | \`${needOf({ method, ...route })('')}\` |`
  })
  return `## Operations

The OpenAPI document of these is at \`${face.prefix}/openapi.json\`. A key of the scope \`full\` may do all of this.

| operation | what it does | scope |
|---|---|---|
${rows.join('\n')}
`
}

interface JsonSchema {
  properties?: Record<string, JsonSchema & { description?: string }>
  required?: string[]
  items?: JsonSchema
  not?: object
}

/** The members of a request, where some of them have a description. */
function members({ method, path, body }: Route): string[] {
  if (!body) return []
  const written = z.toJSONSchema(body.schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema
  const { properties = {}, required = [] } = written
  if (!Object.values(properties).some(({ description }) => description)) return []
  const rows = Object.entries(properties).map(([name, { description = '', not }]) => {
    const kind = not ? 'not supported' : required.includes(name) ? 'required' : ''
    return `| \`${name}\` | ${kind} | ${description.replaceAll('|', '\\|')} |`
  })
  return [
    `## The members of \`${method} ${path}\`

Any other member is refused.

| member | | |
|---|---|---|
${rows.join('\n')}
`,
  ]
}

function events({ face }: Provider): string {
  const shape = webhookShapes.find(({ name }) => name === face.name)
  if (!shape) return ''
  const rows = Object.entries(shape.events).map(([name, ours]) => {
    const ofOurs = [ours].flat().map((type) => `\`${type}\``)
    return `| \`${name}\` | ${ofOurs.join(', ')} |`
  })
  return `## Events of webhooks

| event | that of Localpost |
|---|---|
${rows.join('\n')}
`
}

function addresses({ face }: Provider): string {
  const simulator = providerSimulators.find(({ provider }) => provider === face.name)
  if (!simulator) return ''
  const rows = simulator.hosts.flatMap((host) =>
    Object.entries(simulator.names).map(
      ([name, ours]) => `| \`${name}@${host}\` | \`${ours}@simulator.localpost\` |`,
    ),
  )
  return `## Test addresses

| address | does the same as |
|---|---|
${rows.join('\n')}
`
}

/** The errors that its operations have, by the answer of the provider. */
function errors({ face }: Provider, routes: readonly Route[]): string {
  const byAnswer = new Map<string, string[]>()
  for (const code of [...new Set(routes.flatMap(errorsOf))].sort()) {
    const { status, body, headers } = face.errorAnswer(new LocalpostError(code, ''), '')
    const type = headers['x-amzn-errortype']
    const text = (typeof body === 'string' ? body : '').trim().replace(requestId, '…')
    const shown = text === '' ? 'the reason, as text' : `\`${text}\``
    const answer = `| ${status} | ${type === undefined ? shown : `${shown}, \`x-amzn-errortype: ${type}\``} |`
    byAnswer.set(answer, [...(byAnswer.get(answer) ?? []), `[\`${code}\`](../errors.md#${code})`])
  }
  const rows = [...byAnswer].sort().map(([answer, codes]) => `${answer} ${codes.join(', ')} |`)
  return `## Errors

| status | answer | error of Localpost |
|---|---|---|
${rows.join('\n')}
`
}

const requestId = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/

function unsupported({ face }: Provider): string {
  if (face.unsupported.length === 0) return ''
  const rows = face.unsupported.map(
    ({ method = '', path, what }) => `- ${what}: \`${`${method} ${face.prefix}${path}`.trim()}\``,
  )
  return `## What is not there

These answer 501 with a sentence that names them:

${rows.join('\n')}
`
}

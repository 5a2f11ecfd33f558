import { hollowApp } from '../server/validate-response.ts'
import { toOpenApi } from '../../src/server/openapi.ts'

interface Parameter {
  name: string
  in: string
  schema: { enum?: string[]; const?: string }
}

const app = hollowApp()
const document = toOpenApi(app.routes, '0.0.0') as unknown as {
  paths: Record<string, Record<string, { parameters: Parameter[] }>>
}

/** A request that reads mail. */
export interface ReadRequest {
  path: string
  /** The path of the route, with the names of its parameters. */
  route: string
  needsKey: boolean
}

/** Every route of the table that reads mail, for one of the mails: with each value that its query may have. */
export function readRequests(id: string): ReadRequest[] {
  return (
    app.routes
      // Those of providers are translations of these.
      .filter(({ method, tag, face }) => method === 'GET' && !face && (tag === 'Inbox' || tag === 'Emails'))
      .flatMap(({ path, access }) => {
        const parameters = document.paths[path]?.['get']?.parameters ?? []
        return (
          filled(path, id)
            .flatMap((one) => [
              // A required parameter has to be in each request.
              ...(path.endsWith('/preview') ? [] : [one]),
              ...parameters.flatMap((parameter) =>
                valuesOf(parameter, id).map(
                  (value) => `${one}?${parameter.name}=${encodeURIComponent(value)}`,
                ),
              ),
            ])
            // Without a query these apply to all mail, or wait.
            .filter((one) => !/\/(?:wait|export)(?:$|\?(?!query=id))/.test(one))
            .map((one) => ({ path: one, route: path, needsKey: access === 'key' }))
        )
      })
  )
}

/** A path with each of the values that its parameters are tried with. */
function filled(path: string, id: string): string[] {
  const values: Record<string, readonly string[]> = {
    id: [id],
    // A mail beside itself: two large bodies, with nothing to tell apart.
    other: [id],
    index: ['0', '1', '999'],
    path: ['0', '1.0'],
  }
  const name = /\{(\w+)\}/.exec(path)?.[1]
  if (name === undefined) return [path]
  if (!values[name]) throw new Error(`No value for {${name}} in ${path}: add one.`)
  return values[name].flatMap((value) => filled(path.replace(`{${name}}`, value), id))
}

function valuesOf({ name, in: place, schema }: Parameter, id: string): string[] {
  if (place !== 'query') return []
  if (name === 'query') return [`id:${id}`, 'code']
  // One client of each kind of rules: all of them would make the series five times as long.
  if (name === 'client') return ['gmail/desktop-webmail', 'outlook/windows']
  return schema.enum ?? (schema.const === undefined ? [] : [schema.const])
}

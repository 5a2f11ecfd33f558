import { describe, expect, test } from 'vitest'
import { openFilled, operations, resolved, sample, text, type Schema } from './_samples.ts'

/** A limit of the document: a value within it, and one beyond it. */
interface Bound {
  where: string
  within: unknown
  beyond: unknown
}

function boundsOf(given: Schema, where: string, put: (value: unknown) => unknown): Bound[] {
  const schema = resolved(given)
  const name = where.replace(/\[\]$/, '').split('.').at(-1) ?? ''
  const found: Bound[] = []
  const add = (kind: string, within: unknown, beyond: unknown): void => {
    found.push({ where: `${where} ${kind}`, within: put(within), beyond: put(beyond) })
  }
  const { maxLength, minLength, maximum, minimum, maxItems, minItems, maxProperties } = schema
  if (maxLength !== undefined) add(`maxLength ${maxLength}`, text(name, maxLength), 'x'.repeat(maxLength + 1))
  if (minLength !== undefined) add(`minLength ${minLength}`, text(name, minLength), 'x'.repeat(minLength - 1))
  if (maximum !== undefined) add(`maximum ${maximum}`, maximum, maximum + 1)
  if (minimum !== undefined) add(`minimum ${minimum}`, minimum, minimum - 1)
  const many = (count: number): unknown[] =>
    Array.from({ length: count }, () => sample(schema.items ?? {}, name))
  if (maxItems !== undefined) add(`maxItems ${maxItems}`, many(maxItems), many(maxItems + 1))
  if (minItems !== undefined) add(`minItems ${minItems}`, many(minItems), many(minItems - 1))
  const members = (count: number): unknown =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`x${i}`, 'x']))
  if (maxProperties !== undefined)
    add(`maxProperties ${maxProperties}`, members(maxProperties), members(maxProperties + 1))
  for (const other of schema.anyOf ?? []) found.push(...boundsOf(other, where, put))
  if (schema.items) found.push(...boundsOf(schema.items, `${where}[]`, (value) => put([value])))
  const whole = schema.properties ? (sample(schema) as object) : {}
  for (const [key, member] of Object.entries(schema.properties ?? {})) {
    found.push(...boundsOf(member, `${where}.${key}`, (value) => put({ ...whole, [key]: value })))
  }
  return found
}

/** The strings without a length in the document. */
function openEndsOf(given: Schema, where: string, put: (value: unknown) => unknown): [string, unknown][] {
  const schema = resolved(given)
  const isText = [schema.type].flat().includes('string')
  const isOpen = isText && !schema.enum && schema.const === undefined && schema.maxLength === undefined
  const found: [string, unknown][] = isOpen ? [[where, put('x'.repeat(25_000))]] : []
  for (const other of schema.anyOf ?? []) found.push(...openEndsOf(other, where, put))
  if (schema.items) found.push(...openEndsOf(schema.items, `${where}[]`, (value) => put([value])))
  const whole = schema.properties ? (sample(schema) as object) : {}
  for (const [key, member] of Object.entries(schema.properties ?? {})) {
    found.push(...openEndsOf(member, `${where}.${key}`, (value) => put({ ...whole, [key]: value })))
  }
  return found
}

const inQuery = operations.flatMap(({ method, path, operation }) =>
  operation.parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, schema }) => ({ method, path, name, schema })),
)
const inBody = operations.flatMap(({ method, path, operation }) => {
  const schema = operation.requestBody?.content['application/json']?.schema
  return schema ? [{ method, path, schema }] : []
})

type Case = [what: string, method: string, path: string, send: Sent]
type Sent = { query: Record<string, string> } | { body: unknown }

function casesOf(pick: (bound: Bound) => unknown): Case[] {
  const cases = [
    ...inQuery.flatMap(({ method, path, name, schema }) =>
      boundsOf(schema, name, (value) => value).map((bound): Case => [
        `${method} ${path}?${bound.where}`,
        method,
        path,
        { query: { [name]: String(pick(bound)) } },
      ]),
    ),
    ...inBody.flatMap(({ method, path, schema }) =>
      boundsOf(schema, 'body', (value) => value).map((bound): Case => [
        `${method} ${path} ${bound.where}`,
        method,
        path,
        { body: pick(bound) },
      ]),
    ),
  ]
  // Removals come last, so that the other routes find their resources.
  return cases.sort((one, other) => Number(removes(one)) - Number(removes(other)))
}

const removes = ([, method, path]: Case): boolean => method === 'DELETE' || path === '/dev/reset'

interface Refusal {
  status: number
  text: string
}

async function send(
  { face, fill }: Awaited<ReturnType<typeof openFilled>>,
  [, method, path, sent]: Case,
): Promise<Refusal> {
  // Does not wait.
  const shared: Record<string, string> = path === '/dev/inbox/wait' ? { timeout_ms: '0' } : {}
  const query = 'query' in sent ? `?${new URLSearchParams({ ...shared, ...sent.query })}` : ''
  const options = 'body' in sent ? { body: sent.body } : method === 'PATCH' ? { body: {} } : {}
  const answer = await face.call(method, fill(path) + query, options)
  // An import lists the rows that it refused.
  const hasRefused =
    path.endsWith('/contacts') && answer.ok && (await answer.clone().text()).includes('"line"')
  const status = hasRefused ? 422 : answer.status
  const refusal = { status, text: status === 422 ? await answer.text() : '' }
  // The setting must not affect the next request.
  if (path === '/dev/faults') await face.call('DELETE', path)
  return refusal
}

const lengthWords =
  /at most|at least \d|too (?:long|many|big|small)|may have up to|takes up to|characters; it/i

describe('the limits that the OpenAPI document names', () => {
  test('are numerous', () => {
    expect(casesOf(({ within }) => within).length).toBeGreaterThan(60)
  })

  test('are enforced: values within them are not refused for their size', { timeout: 60_000 }, async () => {
    const filled = await openFilled()
    const wrong: string[] = []
    for (const given of casesOf(({ within }) => within)) {
      if (given[0] === 'GET /dev/inbox/wait?timeout_ms maximum 300000') continue
      const { text: refusal } = await send(filled, given)
      // What a template makes of it has a smaller limit of its own.
      const isOfRendered = refusal.includes('with its template rendered')
      if (lengthWords.test(refusal) && !isOfRendered) wrong.push(`${given[0]}: ${refusal}`)
    }
    expect(wrong).toEqual([])
  })

  test('are enforced: values beyond them are 422', { timeout: 60_000 }, async () => {
    const filled = await openFilled()
    const wrong: string[] = []
    for (const given of casesOf(({ beyond }) => beyond)) {
      const { status } = await send(filled, given)
      if (status !== 422) wrong.push(`${given[0]}: ${status}`)
    }
    expect(wrong).toEqual([])
  })

  const inPath = operations.flatMap(({ method, path, operation }) =>
    operation.parameters
      .filter((parameter) => parameter.in === 'path')
      .map(({ name, schema }) => ({ method, path, name, schema })),
  )
  test('are enforced in paths', { timeout: 60_000 }, async () => {
    const { face, fill } = await openFilled()
    expect(inPath.length).toBeGreaterThan(30)
    expect(inPath.filter(({ schema }) => schema.maxLength !== undefined)).not.toEqual([])
    for (const { method, path, name, schema } of inPath) {
      const { maxLength, pattern } = schema
      const isRefused = async (value: string): Promise<boolean> => {
        const at = fill(path.replace(`{${name}}`, encodeURIComponent(value)))
        const answer = await face.call(method, at, /P/.test(method) ? { body: {} } : {})
        return answer.status === 422 && (await answer.text()).includes(`"field":"${name}"`)
      }
      const expectRefused = async (value: string, wanted: boolean): Promise<void> =>
        expect([method, path, value, await isRefused(value)]).toEqual([method, path, value, wanted])
      await expectRefused('x'.repeat(maxLength ?? 2000), false)
      if (maxLength !== undefined) await expectRefused('x'.repeat(maxLength + 1), true)
      for (const value of ['a b', 'ä', 'a:b', 'a~b', 'a.b_c-9'])
        await expectRefused(value, pattern !== undefined && !new RegExp(pattern).test(value))
    }
  })

  test('are complete: other texts are not refused for their size', { timeout: 60_000 }, async () => {
    const filled = await openFilled()
    const cases: Case[] = [
      ...inQuery.flatMap(({ method, path, name, schema }) =>
        openEndsOf(schema, name, (value) => value).map(([where, value]): Case => [
          `${method} ${path}?${where}`,
          method,
          path,
          { query: { [name]: String(value) } },
        ]),
      ),
      ...inBody.flatMap(({ method, path, schema }) =>
        openEndsOf(schema, 'body', (value) => value).map(([where, body]): Case => [
          `${method} ${path} ${where}`,
          method,
          path,
          { body },
        ]),
      ),
    ]
    expect(cases.length).toBeGreaterThan(5)
    const wrong: string[] = []
    for (const given of cases) {
      const { text: refusal } = await send(filled, given)
      if (lengthWords.test(refusal)) wrong.push(`${given[0]}: ${refusal}`)
    }
    expect(wrong).toEqual([])
  })
})

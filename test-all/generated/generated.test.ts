import { cpSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findOnPath } from '../../test/support/programs.ts'
import { run } from '../run.ts'
import { generators } from './generators.ts'
import { openWorld, type World } from './world.ts'

let world: World
const folders: string[] = []
beforeAll(async () => {
  world = await openWorld()
})
afterAll(async () => {
  await world?.close()
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

/** What a program should print that reads this instance. */
async function expected(): Promise<Record<string, unknown>> {
  const { domains } = await world.get<{ domains: { id: string; name: string }[] }>('/v1/domains')
  const { id } = domains.find(({ name }) => name === 'acme.test') ?? { id: '' }
  const detail = await world.get<{ verification_info: { last_checked_timestamp: string } }>(
    `/v1/domains/${id}`,
  )
  const { count } = await world.get<{ count: number }>('/v1/emails')
  return {
    statuses: ['ada@example.com delivered', 'bounce@simulator.localpost bounced'],
    emails: count,
    pages: Math.ceil(count / 50),
    links: ['https://acme.test/confirm?token=1'],
    checked: Date.parse(detail.verification_info.last_checked_timestamp),
    contacts: ['ada@example.com', 'bob@example.com'],
    error: 'not_found',
    payloads: world.payloads.map(({ type, data }) =>
      type.startsWith('domain.')
        ? `${type} ${String(data['name'])}`
        : `${type} ${String(data['status'])} ${String(data['recipient'])}`,
    ),
  }
}

/** The program's line; Maven writes colours around it. */
function lastObject(output: string): Record<string, unknown> {
  return JSON.parse(output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1)) as Record<string, unknown>
}

describe('a client generated from the document of /v1', () => {
  for (const generator of generators) {
    const { name, needs } = generator
    const missing = needs.filter((program) => findOnPath(program) === undefined)
    if (missing.length > 0)
      process.stderr.write(`SKIPPED: the client of ${name} needs ${missing.join(', ')}.\n`)
    const title = `by ${name} compiles, and lives through every operation and every payload of webhooks`
    it.skipIf(missing.length > 0)(
      missing.length > 0 ? `${title} (needs ${missing.join(', ')})` : title,
      async () => {
        const folder = await mkdtemp(join(tmpdir(), `localpost-${name}-`))
        folders.push(folder)
        cpSync(join(import.meta.dirname, 'programs', name), folder, { recursive: true })
        writeFileSync(join(folder, 'v1.json'), JSON.stringify(await world.get('/v1/openapi.json')))
        writeFileSync(join(folder, 'payloads.json'), JSON.stringify(world.payloads))
        await generator.generate(folder)
        await generator.compile(folder)
        const [program, ...args] = await generator.command(folder)
        const domain = `${name}.test`
        const env = {
          LOCALPOST_URL: world.url,
          LOCALPOST_API_KEY: world.key,
          DOMAIN: domain,
          PAYLOADS: join(folder, 'payloads.json'),
        }
        const found = lastObject(await run(program, args, { cwd: folder, env }))
        const { records, ...read } = found
        expect(read).toEqual(await expected())
        expect(records).toEqual(expect.arrayContaining(['TXT', 'MX 10']))
      },
    )
  }
})

import { afterAll, beforeAll, expect, it } from 'vitest'
import { startCommand, type Started } from '../cli/command.ts'
import { roundsOf } from '../support/long.ts'
import { runSql, startPostgres, type TestServer } from '../support/postgres.ts'
import { progressOf } from '../support/progress.ts'
import { loadChanges } from './changes-load.ts'
import { load, type Acknowledged } from './load.ts'
import { assertWhole } from './outcome.ts'

/** `LOCALPOST_KILLS=100 npm test -- test/crash/several.test.ts` is the long variant. */
const rounds = roundsOf('LOCALPOST_KILLS', { short: 3, long: 20 })

let server: TestServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

/** An instance under load. */
interface Loaded {
  command: Started
  running: ReturnType<typeof load>
}

const run = (schema: string): Promise<Started> =>
  startCommand([`--store=${server.url}?schema=${schema}`, '--api-key=lp_several'])

async function start(schema: string, pauses?: () => boolean): Promise<Loaded> {
  const command = await run(schema)
  return { command, running: load(command, { retries: true, ...(pauses && { pauses }) }) }
}

/**
 * Watches how many emails of the API are not delivered yet. Two instances accept more than one of them delivers, and nothing
 * is delivered until a new leader takes over: without a bound, tracked emails would wait behind ever more others.
 */
function watchOutbox(schema: string): { isLong(): boolean; stop(): Promise<void> } {
  let isLong = false
  let isStopped = false
  const watching = (async () => {
    while (!isStopped) {
      const sql = `SELECT count(*)::int AS due FROM ${schema}.records_emails WHERE key_outbox IS NOT NULL`
      const [row] = (await runSql(server.url, sql)) as { due: number }[]
      isLong = (row?.due ?? 0) > 200
      await pause(100)
    }
  })()
  return {
    isLong: () => isLong,
    stop() {
      isStopped = true
      return watching
    },
  }
}

function collect(all: Acknowledged, { running: { acknowledged } }: Loaded): void {
  for (const [subject, id] of acknowledged.api) all.api.set(subject, id)
  for (const subject of acknowledged.smtp) all.smtp.add(subject)
}

it(
  `mail, removals and events that two instances acknowledge survive kills of one or the other, once and complete: ${rounds} kills`,
  async () => {
    const all: Acknowledged = { api: new Map(), smtp: new Set() }
    const progress = progressOf('kills of one of two instances', rounds)
    const first = await run('kills')
    const outbox = watchOutbox('kills')
    const instances = [
      { command: first, running: load(first, { retries: true, pauses: outbox.isLong }) },
      await start('kills', outbox.isLong),
    ]
    const changes = await loadChanges(() => instances.map(({ command }) => command))
    for (let round = 1; round <= rounds; round++) {
      progress()
      const before = changes.counts()
      await Promise.all([
        ...instances.map(({ running }) => hasAnswered(running)),
        expect
          .poll(() => changes.counts(), { timeout: 30_000 })
          .toSatisfy(({ removed, hits }) => removed > before.removed && hits > before.hits),
      ])
      await pause(Math.random() * 400)
      const victim = Math.floor(Math.random() * 2)
      const loaded = instances[victim]
      if (!loaded) throw new Error('There are two instances.')
      process.kill(loaded.command.pid, 'SIGKILL')
      await loaded.running.ended
      collect(all, loaded)
      instances[victim] = await start('kills', outbox.isLong)
    }
    await Promise.all(instances.map(({ running }) => hasAnswered(running)))
    for (const { command } of instances) process.kill(command.pid, 'SIGKILL')
    for (const loaded of instances) {
      await loaded.running.ended
      collect(all, loaded)
    }
    await outbox.stop()
    await changes.stop()
    const command = await run('kills')
    await assertWhole(command, all)
    await changes.assertKept(command)
    const { removed, hits } = changes.counts()
    console.log(
      `two instances, ${rounds + 2} kills: ${all.api.size} API sends, ${all.smtp.size} submissions, ${removed} removals and ${hits} hits acknowledged, none lost, none twice`,
    )
  },
  120_000 + rounds * 20_000,
)

it('an instance that was stopped for longer than its lease delivers and stores nothing that another one took over', async () => {
  const all: Acknowledged = { api: new Map(), smtp: new Set() }
  // The first one is the leader.
  const stopped = await start('stopped')
  await hasAnswered(stopped.running)
  const other = await run('stopped')
  process.kill(stopped.command.pid, 'SIGSTOP')
  const began = performance.now()
  const id = await send(other)
  for (let status = ''; status !== 'delivered'; await pause(100)) {
    const answer = await fetch(`${other.url}/v1/emails/${id}`, { headers })
    status = ((await answer.json()) as { last_event: { status: string } }).last_event.status
  }
  console.log(`another instance became the leader after ${((performance.now() - began) / 1000).toFixed(1)} s`)
  process.kill(stopped.command.pid, 'SIGCONT')
  // What it had begun may be refused, and it works again, but not as the leader.
  for (let taken = 0; taken < 20; await pause(20)) if ((await send(stopped.command)) !== undefined) taken++
  process.kill(stopped.command.pid, 'SIGKILL')
  await stopped.running.ended
  collect(all, stopped)
  await assertWhole(other, all)
}, 90_000)

const headers = { authorization: 'Bearer lp_several', 'content-type': 'application/json' }

/** @returns The id; undefined if the instance refused. */
async function send({ url }: Started): Promise<string | undefined> {
  const body = JSON.stringify({
    from: 'a@acme.test',
    to: 'ada@example.com',
    subject: 'taken over',
    text: 'Hi',
  })
  const answer = await fetch(`${url}/v1/emails`, { method: 'POST', headers, body })
  return ((await answer.json()) as { id?: string }).id
}

async function hasAnswered({ acknowledged, ended }: Loaded['running']): Promise<void> {
  let errors: unknown[] | null = null
  void ended.then((given) => (errors = given))
  while (acknowledged.api.size === 0 || acknowledged.smtp.size === 0) {
    // A round in which nothing was acknowledged proves nothing.
    if (errors) throw new AggregateError(errors, 'the load ended before the kill')
    await pause(5)
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

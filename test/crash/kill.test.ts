import { it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { startCommand } from '../cli/command.ts'
import { roundsOf } from '../support/long.ts'
import { startPostgres } from '../support/postgres.ts'
import { progressOf } from '../support/progress.ts'
import { load, type Acknowledged } from './load.ts'
import { assertWhole } from './outcome.ts'

/** `LOCALPOST_KILLS=200 npm test -- test/crash` is the long variant. */
const rounds = roundsOf('LOCALPOST_KILLS', { short: 4, long: 20 })

/** The options of the command for each adapter of the store. */
const stores: readonly [name: string, rounds: number, open: () => Promise<string[]>][] = [
  ['a folder', rounds, () => Promise.resolve([])],
  [
    'PostgreSQL',
    Math.ceil(rounds / 2),
    async () => {
      const server = await startPostgres()
      onTestFinished(() => server.remove())
      return [`--store=${server.url}`]
    },
  ],
]

it.each(stores)(
  'everything acknowledged survives kills at random moments, once and complete, and is delivered: %s, %i kills',
  async (name, rounds, open) => {
    const cwd = temporaryFolder()
    const options = await open()
    const all: Acknowledged = { api: new Map(), smtp: new Set() }
    const progress = progressOf(`kills, ${name}`, rounds)
    for (let round = 1; round <= rounds; round++) {
      progress()
      const command = await startCommand(options, { cwd })
      const { acknowledged, ended } = load(command)
      let isRunning = true
      const reasons = ended.then((errors) => {
        if (isRunning) throw new AggregateError(errors, 'the load ended before the kill')
      })
      // A round in which nothing was acknowledged proves nothing.
      while (acknowledged.api.size === 0 || acknowledged.smtp.size === 0)
        await Promise.race([pause(5), reasons])
      await Promise.race([pause(Math.random() * 400), reasons])
      isRunning = false
      process.kill(command.pid, 'SIGKILL')
      await command.ended
      await reasons
      for (const [subject, id] of acknowledged.api) all.api.set(subject, id)
      for (const subject of acknowledged.smtp) all.smtp.add(subject)
    }

    const command = await startCommand(options, { cwd })
    await assertWhole(command, all)
    command.signal('SIGTERM')
    await command.ended
    console.log(
      `${name}, ${rounds} kills: ${all.api.size} API sends and ${all.smtp.size} submissions acknowledged, none lost, none twice`,
    )
  },
  60_000 + rounds * 6_000,
)

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

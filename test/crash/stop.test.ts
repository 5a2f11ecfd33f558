import { expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { startCommand } from '../cli/command.ts'
import { load } from './load.ts'
import { inboxOf } from './inbox-of.ts'

it(
  'SIGTERM under load ends with code 0, and keeps everything that was acknowledged',
  { timeout: 120_000 },
  async () => {
    const cwd = temporaryFolder()
    const subjects = new Set<string>()
    for (let round = 0; round < 3; round++) {
      const command = await startCommand([], { cwd })
      const { acknowledged, ended } = load(command)
      while (acknowledged.api.size < 10 || acknowledged.smtp.size < 10) await pause(10)
      await pause(200 * round)
      command.signal('SIGTERM')
      expect(await command.ended).toEqual({ code: 0, signal: null })
      await ended
      for (const subject of [...acknowledged.api.keys(), ...acknowledged.smtp]) subjects.add(subject)
    }
    const command = await startCommand([], { cwd })
    const kept = await inboxOf(command)
    expect([...subjects].filter((subject) => kept.get(subject) !== 1)).toEqual([])
    command.signal('SIGTERM')
    await command.ended
  },
)

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

import { readStored, writeStored } from '../../composables/stored.ts'

/** The ids of the commands that were run last, the latest first. */
export function recentCommands(): string[] {
  return (readStored('commands') ?? '')
    .split(' ')
    .filter((id) => id !== '')
    .slice(0, mostCommands)
}

/** Remembers a command as the latest. */
export function rememberCommand(id: string): void {
  if (!/^[\w./-]{1,60}$/.test(id)) return
  writeStored(
    'commands',
    [id, ...recentCommands().filter((one) => one !== id)].slice(0, mostCommands).join(' '),
  )
}

const mostCommands = 5

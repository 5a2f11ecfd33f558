import { lookUp } from '../lock/judge.ts'
import { parseHolder } from '../lock/lock-file.ts'
import type { Processes } from '../lock/processes.ts'
import type { Connection } from './connection.ts'

/** Whether an instance other than `id` is the leader and may still be running. */
export async function isLedByOther(
  connection: Connection,
  id: string,
  processes: Processes,
): Promise<boolean> {
  const [found] = await connection.run<{ id: string; holder: string; lives: boolean }>(
    `SELECT id, holder, until > clock_timestamp() AS lives FROM ${connection.name('instances')} WHERE has_turn`,
  )
  if (!found || found.id === id || !found.lives) return false
  const holder = parseHolder(found.holder)
  return !holder || (await lookUp(holder, processes)) !== 'gone'
}

/** The running instances other than `id`, each described by its process and host, for an error message. */
export async function describeOthers(
  connection: Connection,
  id: string,
  processes: Processes,
): Promise<string[]> {
  const rows = await connection.run<{ holder: string }>(
    `SELECT holder FROM ${connection.name('instances')} WHERE until > clock_timestamp() AND id <> $1`,
    [id],
  )
  const names: string[] = []
  for (const { holder } of rows) {
    const known = parseHolder(holder)
    if (known && (await lookUp(known, processes)) === 'gone') continue
    names.push(known ? `process ${known.pid} on the host ${JSON.stringify(known.host)}` : 'another instance')
  }
  return names
}

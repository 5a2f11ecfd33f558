import type { Pool } from 'pg'
import { Connection } from './connection.ts'
import type { Membership } from './membership.ts'
import { transact } from './transaction.ts'

/**
 * Makes an instance the leader if no other one is.
 *
 * @param wants  Whether it still wants to be, asked after the look-up of a leader.
 */
export async function tryToLead(
  membership: Membership,
  pool: Pool,
  schema: string,
  wants: () => boolean = () => true,
): Promise<void> {
  const { id, lease } = membership
  if (lease.isLeader || (await isLedByOther(membership, new Connection(pool, schema))) || !wants()) return
  const began = lease.now()
  const isLeader = await transact(pool, schema, async (connection) => {
    const table = connection.name('instances')
    // If several instances try at once, all but one wait here and then find a leader. The transaction must not lock
    // rows before this: two instances that hold a row each would wait for each other.
    await connection.run(`LOCK TABLE ${table} IN EXCLUSIVE MODE`)
    await membership.renew(connection)
    if (await isLedByOther(membership, connection)) return false
    await connection.run(`UPDATE ${table} SET has_turn = (id = $1) WHERE has_turn OR id = $1`, [id])
    return true
  })
  if (isLeader) lease.won(began)
}

/** Whether another instance is the leader and may still be running. */
async function isLedByOther(membership: Membership, connection: Connection): Promise<boolean> {
  const [leader] = await connection.run<{ holder: string }>(
    `SELECT holder FROM ${connection.name('instances')} WHERE has_turn AND id <> $1 AND until > clock_timestamp()`,
    [membership.id],
  )
  return leader !== undefined && (await membership.mayRun(leader.holder))
}

import { createHash } from 'node:crypto'
import { isErrorOf } from '../core/errors.ts'
import { listMails } from './export.ts'
import type { Remote } from './remote.ts'

/** The messages that a running Localpost holds, by their bytes. */
export interface StoredBytes {
  /**
   * Whether the inbox holds a message with these bytes. Each of its messages counts once: of two equal files, one is
   * found if the inbox has one message.
   */
  take(bytes: Uint8Array): Promise<boolean>
}

/** Lists the messages of an inbox. Only those that have the size of a sought one are read, each once. */
export async function listStored(remote: Remote): Promise<StoredBytes> {
  const bySize = new Map<number, string[]>()
  for await (const { id, size_bytes } of listMails(remote, '')) {
    const known = bySize.get(size_bytes)
    if (known) known.push(id)
    else bySize.set(size_bytes, [id])
  }
  const counts = new Map<string, number>()
  return {
    async take(bytes) {
      const ids = bySize.get(bytes.byteLength)
      if (!ids) return false
      for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
        const digest = await digestOf(remote, id)
        if (digest !== null) counts.set(digest, (counts.get(digest) ?? 0) + 1)
      }
      const digest = createHash('sha256').update(bytes).digest('hex')
      const count = counts.get(digest) ?? 0
      counts.set(digest, count - 1)
      return count > 0
    },
  }
}

/** The digest of a stored message; null if it cannot be read, or was removed meanwhile. */
async function digestOf(remote: Remote, id: string): Promise<string | null> {
  try {
    const { body } = await remote.ask(`/dev/inbox/${id}/raw`)
    const hash = createHash('sha256')
    for await (const piece of body ?? []) hash.update(piece)
    return hash.digest('hex')
  } catch (error) {
    if (isErrorOf(error, 'not_found', 'message_pending', 'store_corrupt', 'store_failed')) return null
    throw error
  }
}

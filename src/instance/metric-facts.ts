import type { Capture } from '../capture/capture.ts'
import type { Counts } from '../core/counts.ts'
import { nullOn } from '../core/errors.ts'
import { createSharedWork } from '../core/shared-work.ts'
import { emailCollection } from '../emails/email.ts'
import { scheduledCollection } from '../sending/scheduled.ts'
import type { PartitionedStore } from '../store/partitioned-store.ts'
import { createLoopMonitor } from '../telemetry/event-loop.ts'
import type { InstanceFacts } from '../telemetry/metrics.ts'
import { webhookDeliveryCollection } from '../webhooks/webhook.ts'

/** Reads what the metrics tell of all accounts together. */
export function createInstanceFacts(
  counts: Counts,
  capture: Pick<Capture, 'sessionCount'>,
  stored: Pick<PartitionedStore, 'total' | 'figures'>,
): { read(isAway: boolean): Promise<InstanceFacts>; close(): void } {
  const loop = createLoopMonitor()

  async function read(isAway: boolean): Promise<InstanceFacts> {
    const [totals, figures] = await Promise.all([
      isAway ? null : nullOn('service_unavailable', readTotals(stored)),
      nullOn('service_unavailable', stored.figures()),
    ])
    return { counts, sessions: capture.sessionCount(), totals, figures, loop: loop.read() }
  }

  // Callers at the same time share one read, which may ask the database.
  const reads = createSharedWork()
  return {
    read: (isAway) => (isAway ? read(true) : reads.run('facts', () => read(false))),
    close: loop.close,
  }
}

async function readTotals(stored: Pick<PartitionedStore, 'total'>) {
  const [emails, outbox, scheduled, webhooks] = await Promise.all([
    stored.total(emailCollection),
    stored.total(emailCollection, 'outbox'),
    stored.total(scheduledCollection),
    stored.total(webhookDeliveryCollection, 'due'),
  ])
  return { emails, outbox, scheduled, webhooks }
}

import { computed, ref, shallowRef, type ComputedRef, type Ref } from 'vue'
import type { BulkProgress } from '../../../src/inbox/types.ts'
import type { Api } from '../../composables/api.ts'
import type { LiveFeed } from '../../composables/live.ts'

/** The change of many mails that runs now, started by this page or by another client. */
export interface BulkRun {
  progress: ComputedRef<BulkProgress | null>
  cancelling: Ref<boolean>
  cancel(): Promise<void>
}

/** Follows the changes of many mails. One that ends quickly is not shown. */
export function useBulkRun(api: Api, live: LiveFeed): BulkRun {
  const running = shallowRef<BulkProgress | null>(null)
  const isLong = ref(false)
  const cancelling = ref(false)
  let timer: ReturnType<typeof setTimeout> | undefined

  function take(progress: BulkProgress): void {
    if (progress.state === 'running') {
      if (running.value?.id !== progress.id) {
        clearTimeout(timer)
        timer = setTimeout(() => (isLong.value = true), quickMs)
        isLong.value = cancelling.value = false
      }
      running.value = progress
    } else if (running.value?.id === progress.id) {
      clearTimeout(timer)
      running.value = null
    }
  }

  live.listen({
    onBulkProgress: take,
    // The change may have ended while the connection was lost. One that runs is reported several times a second.
    onConnected: () => (running.value = null),
  })
  return {
    progress: computed(() => (isLong.value ? running.value : null)),
    cancelling,
    async cancel() {
      if (!running.value) return
      cancelling.value = true
      try {
        await api.write('DELETE', `dev/inbox/bulk/${encodeURIComponent(running.value.id)}`)
      } catch {
        // It is still running or has ended; its progress shows which.
        cancelling.value = false
      }
    },
  }
}

const quickMs = 300

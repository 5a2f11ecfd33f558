import { computed, ref, watch, type ComputedRef, type Ref } from 'vue'
import { useRoute } from '../../composables/route.ts'
import { idStarts, isKind, type TrafficKind } from './traffic.ts'

/** What the URL says about the timeline. */
export interface TrafficRoute {
  /** The kind that is shown; undefined for all. */
  kind: Readonly<Ref<TrafficKind | undefined>>
  /** The id of the open entry. */
  openId: ComputedRef<string | undefined>
  /** Shows one kind, or all. */
  choose(kind: TrafficKind | undefined): void
}

/**
 * The URL has one place for both: the name of a kind (`#/requests/webhooks`), or the id of an entry (`#/requests/whd_1`).
 * An open entry leaves the kind as it was, unless it is of another one: then all are shown.
 */
export function useTrafficRoute(): TrafficRoute {
  const { route, go } = useRoute()
  const named = computed(() => (route.value.view === 'requests' ? route.value.id : undefined))
  const kind = ref<TrafficKind>()
  watch(
    named,
    (now) => {
      if (isKind(now) || now === undefined) kind.value = now
      else if (kind.value !== undefined && !now.startsWith(idStarts[kind.value])) kind.value = undefined
    },
    { immediate: true },
  )
  return {
    kind,
    openId: computed(() => (isKind(named.value) ? undefined : named.value)),
    choose: (chosen) => go({ view: 'requests', id: chosen }),
  }
}

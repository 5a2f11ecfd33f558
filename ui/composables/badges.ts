import {
  computed,
  inject,
  onScopeDispose,
  provide,
  ref,
  watch,
  type ComputedRef,
  type InjectionKey,
} from 'vue'
import type { Rule } from '../../src/rules/types.ts'
import type { SmtpSessionSummary } from '../../src/inbox/smtp-session-types.ts'
import type { LoggedRequest } from '../../src/server/types.ts'
import type { Webhook, WebhookDelivery } from '../../src/webhooks/types.ts'
import { accountKey } from './accounts.ts'
import { idle, painted } from './idle.ts'
import type { Instance } from './instance.ts'
import type { AnyRoom } from './rooms.ts'
import type { Router } from './route.ts'
import { readStored, writeStored } from './stored.ts'
import { faultWords } from './words.ts'

/** What a room has to say while another one is shown: a mark in the navigation, and its words. */
interface Badge {
  tone: 'warn' | 'bad'
  words: string
}

type Badges = ComputedRef<Partial<Record<AnyRoom, Badge>>>

/** Watches what the navigation marks: problems that are new in Traffic, faults and rules, webhooks that fail. */
export function provideBadges({ api, live, health, locked }: Instance, { room }: Router): Badges {
  const seenKey = accountKey('traffic-seen')
  const seen = ref(Number(readStored(seenKey) ?? 0))
  /** When the newest problem of Traffic happened. */
  const newest = ref(0)
  const rules = ref(0)
  const isFailing = ref(false)
  const happened = (time: number): void => void (newest.value = Math.max(newest.value, time))
  // Each is only a mark: what cannot be read is shown as an error in its room.
  const ask = async (work: () => Promise<void>): Promise<void> => {
    if (!locked.value) await work().catch(() => undefined)
  }
  const askRules = (): Promise<void> =>
    ask(async () => void (rules.value = (await api.read<Rule[]>('dev/rules')).length))
  const askTraffic = (): Promise<void> =>
    ask(async () => {
      const { sessions } = await api.read<{ sessions: SmtpSessionSummary[] }>(
        'dev/smtp-sessions?limit=1&failed=true',
      )
      for (const { started, ended } of sessions) happened(ended ?? started)
    })
  const askWebhooks = (): Promise<void> =>
    ask(async () => {
      const { webhooks } = await api.read<{ webhooks: Webhook[] }>('dev/webhooks')
      const isNone = webhooks.every(({ disabled }) => disabled)
      const { deliveries } = isNone
        ? { deliveries: [] }
        : await api.read<{ deliveries: WebhookDelivery[] }>('dev/webhooks/deliveries?limit=30')
      isFailing.value = failingOf(webhooks, deliveries).length > 0
    })
  // A flood of mail is not a flood of requests.
  let timer: ReturnType<typeof setTimeout> | undefined
  const askSoon = (): void =>
    void (timer ??= setTimeout(() => {
      timer = undefined
      void askWebhooks()
    }, 2000))
  onScopeDispose(() => clearTimeout(timer))
  live.listen({
    async onConnected() {
      // What a person looks at comes first: the list and the open mail.
      await painted()
      await idle()
      await Promise.all([askRules(), askTraffic(), askWebhooks()])
    },
    onList(name) {
      if (name === 'rules') void askRules()
      if (name === 'webhooks') askSoon()
    },
    onSmtpSession: ({ started, ended, problems }) => problems.length > 0 && happened(ended ?? started),
    onRequest: (request) => hasFailed(request) && happened(request.timestamp),
    onChanges: askSoon,
  })
  watch(
    [room, newest],
    () => {
      if (room.value !== 'requests' || newest.value <= seen.value) return
      seen.value = newest.value
      writeStored(seenKey, String(newest.value))
    },
    { immediate: true },
  )
  const faults = computed(() => (health.value?.faults ? faultWords(health.value.faults) : ''))
  const badges: Badges = computed(() => ({
    ...(newest.value > seen.value && { requests: { tone: 'bad', words: 'new problems' } }),
    ...((faults.value !== '' || rules.value > 0) && {
      rules: { tone: 'warn', words: faults.value === '' ? 'rules are on' : 'faults are on' },
    }),
    ...(isFailing.value && { webhooks: { tone: 'bad', words: 'failing' } }),
  }))
  provide(key, badges)
  return badges
}

export function useBadges(): Badges {
  const badges = inject(key)
  if (!badges) throw new Error('There are no badges above this component.')
  return badges
}

/** The webhooks that exist, get events, and did not take what was tried last. @param deliveries  The newest first. */
export function failingOf(
  webhooks: readonly Pick<Webhook, 'id' | 'disabled'>[],
  deliveries: readonly Pick<WebhookDelivery, 'webhook_id' | 'attempts'>[],
): string[] {
  const ids = webhooks.filter(({ disabled }) => !disabled).map(({ id }) => id)
  return ids.filter((id) => {
    const last = deliveries.find((one) => one.webhook_id === id && one.attempts.length > 0)
    return (last?.attempts.at(-1)?.error ?? null) !== null
  })
}

const key: InjectionKey<Badges> = Symbol('badges')
const hasFailed = ({ status }: LoggedRequest): boolean => status === 0 || status >= 400

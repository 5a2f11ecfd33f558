import type {
  FaultRateLimit,
  FaultsInput,
  FaultsState,
  HttpFault,
  SmtpFault,
} from '../../../src/faults/types.ts'

/** The value of a number field: '' if it is empty. */
type NumberField = number | ''

/** A fault while it is edited. Members that its kind and effect do not use are kept, in case they are changed back. */
export interface FaultDraft {
  kind: 'http' | 'smtp' | 'rate_limit'
  path: string
  method: NonNullable<HttpFault['method']> | ''
  stage: SmtpFault['stage']
  effect: 'answer' | 'disconnect' | 'delay'
  code: NumberField
  text: string
  delay_ms: NumberField
  count: NumberField
  /** In percent. */
  rate: NumberField
  requests: NumberField
  per_ms: NumberField
}

/** One fault of the list, and its position in the faults of the server. */
export interface ListedFault {
  key: string
  kind: FaultDraft['kind']
  at: number
  /** Where it applies: `POST /v1/emails`, `RCPT TO`, or each key for a rate limit. */
  target: string
  /** What it does, in words. */
  words: string
  isUsedUp: boolean
  /** The same while the fault is the same, however often it was used. */
  identity: string
}

export const kindWords: Readonly<Record<FaultDraft['kind'], string>> = {
  http: 'A request to /v1 or a provider',
  smtp: 'An SMTP session',
  rate_limit: 'A rate limit for requests',
}
export const stageWords: Readonly<Record<SmtpFault['stage'], string>> = {
  connect: 'Greeting',
  ehlo: 'EHLO',
  auth: 'AUTH',
  mail: 'MAIL FROM',
  rcpt: 'RCPT TO',
  data: 'DATA',
  end: 'End of the message',
}
export const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** What a new fault answers, until a person chooses another code. */
export const firstCodes = { http: 503, smtp: 451 } as const

/** @param fault  The one to edit; null for a new one. */
export function toDraft(state: FaultsState | null, fault: ListedFault | null): FaultDraft {
  const empty: FaultDraft = {
    kind: 'http',
    path: '/v1/emails',
    method: '',
    stage: 'rcpt',
    effect: 'answer',
    code: firstCodes.http,
    text: '',
    delay_ms: '',
    count: '',
    rate: '',
    requests: 5,
    per_ms: 1000,
  }
  if (!fault || !state) return empty
  if (fault.kind === 'rate_limit') return { ...empty, kind: 'rate_limit', ...state.rate_limit }
  const http = fault.kind === 'http' ? state.http[fault.at] : undefined
  const smtp = fault.kind === 'smtp' ? state.smtp[fault.at] : undefined
  const one = http ?? smtp
  if (!one) return empty
  const code = http?.status ?? smtp?.code
  return {
    ...empty,
    kind: fault.kind,
    ...(http && { path: http.path, method: http.method ?? '' }),
    ...(smtp && { stage: smtp.stage, text: smtp.text ?? '' }),
    effect: one.disconnect ? 'disconnect' : code === undefined ? 'delay' : 'answer',
    code: code ?? firstCodes[fault.kind],
    delay_ms: one.delay_ms ?? '',
    count: one.count ?? '',
    rate: one.rate === undefined ? '' : Math.round(one.rate * 1000) / 10,
  }
}

/** The faults with this one added, or with this one instead of the edited one. */
export function withFault(
  state: FaultsState | null,
  draft: FaultDraft,
  edited: ListedFault | null,
): FaultsInput {
  const rest = edited ? withoutFault(state, edited) : inputOf(state)
  if (draft.kind === 'rate_limit')
    return { ...rest, rate_limit: { requests: numberOf(draft.requests), per_ms: numberOf(draft.per_ms) } }
  // An edited fault keeps its place, because the first fault that applies is used.
  const at = edited?.kind === draft.kind ? edited.at : undefined
  return draft.kind === 'http'
    ? { ...rest, http: placed(rest.http ?? [], toHttp(draft), at) }
    : { ...rest, smtp: placed(rest.smtp ?? [], toSmtp(draft), at) }
}

/** The faults with others added. */
export function withFaults(state: FaultsState | null, added: FaultsInput): FaultsInput {
  const input = inputOf(state)
  return {
    ...input,
    http: [...(input.http ?? []), ...(added.http ?? [])],
    smtp: [...(input.smtp ?? []), ...(added.smtp ?? [])],
    ...(added.rate_limit && { rate_limit: added.rate_limit }),
  }
}

/** The faults without this one. */
export function withoutFault(state: FaultsState | null, { kind, at }: ListedFault): FaultsInput {
  const input = inputOf(state)
  if (kind === 'rate_limit') return { ...input, rate_limit: null }
  return kind === 'http'
    ? { ...input, http: (input.http ?? []).filter((_, index) => index !== at) }
    : { ...input, smtp: (input.smtp ?? []).filter((_, index) => index !== at) }
}

/** All faults as they are listed. */
export function listedOf(state: FaultsState | null): ListedFault[] {
  if (!state) return []
  const { http, smtp, rate_limit } = state
  const listed: ListedFault[] = [
    ...http.map((fault, at) => ({
      key: `http ${at}`,
      kind: 'http' as const,
      at,
      target: `${fault.method ?? 'any'} ${fault.path}`,
      words: effectWords(fault, fault.status === undefined ? '' : `answers ${fault.status}`),
      isUsedUp: fault.count === 0,
      identity: identityOf(fault),
    })),
    ...smtp.map((fault, at) => ({
      key: `smtp ${at}`,
      kind: 'smtp' as const,
      at,
      target: stageWords[fault.stage],
      words: effectWords(
        fault,
        fault.code === undefined ? '' : `replies ${[fault.code, fault.text].filter(Boolean).join(' ')}`,
      ),
      isUsedUp: fault.count === 0,
      identity: identityOf(fault),
    })),
  ]
  if (rate_limit)
    listed.push({
      key: 'rate_limit',
      kind: 'rate_limit',
      at: 0,
      target: 'each key',
      words: `${rate_limit.requests} requests per ${rate_limit.per_ms.toLocaleString('en-GB')} ms`,
      isUsedUp: false,
      identity: identityOf(rate_limit),
    })
  return listed
}

/** Each use changes the count, so it only says whether there is one. */
function identityOf(fault: HttpFault | SmtpFault | FaultRateLimit): string {
  return JSON.stringify({ ...fault, count: 'count' in fault })
}

/** Whether the fault that was listed is still in its place, so that it can be replaced there. */
export function isStillThere(faults: readonly ListedFault[], one: ListedFault): boolean {
  return faults.some(({ key, identity }) => key === one.key && identity === one.identity)
}

function effectWords(fault: HttpFault | SmtpFault, answer: string): string {
  const { delay_ms, disconnect, count, rate } = fault
  const parts = [
    ...(delay_ms === undefined ? [] : [`waits ${delay_ms.toLocaleString('en-GB')} ms`]),
    ...(answer === '' ? [] : [answer]),
    ...(disconnect ? ['closes the connection'] : []),
    ...(rate === undefined ? [] : [`for ${Math.round(rate * 1000) / 10} %`]),
    ...(count === undefined
      ? []
      : [count === 0 ? 'used up' : count === 1 ? 'the next time' : `the next ${count} times`]),
  ]
  return parts.join(', ')
}

function inputOf(state: FaultsState | null): FaultsInput {
  return state ? { http: state.http, smtp: state.smtp, rate_limit: state.rate_limit, seed: state.seed } : {}
}

function placed<T>(list: readonly T[], one: T, at: number | undefined): T[] {
  return at === undefined ? [...list, one] : [...list.slice(0, at), one, ...list.slice(at)]
}

function toHttp(draft: FaultDraft): HttpFault {
  return {
    path: draft.path.trim(),
    ...(draft.method !== '' && { method: draft.method }),
    ...(draft.effect === 'answer' && { status: numberOf(draft.code) }),
    ...common(draft),
  }
}

function toSmtp(draft: FaultDraft): SmtpFault {
  return {
    stage: draft.stage,
    ...(draft.effect === 'answer' && { code: numberOf(draft.code) }),
    ...(draft.effect === 'answer' && draft.text.trim() && { text: draft.text.trim() }),
    ...common(draft),
  }
}

function common({
  effect,
  delay_ms,
  count,
  rate,
}: FaultDraft): Pick<HttpFault, 'disconnect' | 'delay_ms' | 'count' | 'rate'> {
  return {
    ...(effect === 'disconnect' && { disconnect: true }),
    ...(delay_ms !== '' && { delay_ms }),
    ...(count !== '' && { count }),
    ...(rate !== '' && { rate: rate / 100 }),
  }
}

const numberOf = (field: NumberField): number => (field === '' ? 0 : field)

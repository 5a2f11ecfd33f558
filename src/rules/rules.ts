import { parseInput } from '../core/validate.ts'
import { createFollowing, type Following } from '../store/follow.ts'
import { untilCommitted } from '../store/repository.ts'
import { type Store, insert, update } from '../store/store.ts'
import { forgetAttempts } from './attempts.ts'
import { type Match, readMatch } from './match.ts'
import { fillRule, rulesCollection } from './rule.ts'
import { rulesInputSchema } from './schema.ts'
import type { Rule, RuleInput } from './types.ts'

/** Rules for the replies of recipients' servers, which otherwise accept everything; for `/dev/rules` and the library. */
export interface Rules {
  /** In their order, with all defaults filled in. */
  get(): Promise<Rule[]>
  /**
   * Replaces all rules. The new ones are stored, and apply to every attempt from now on; earlier greylisted attempts
   * are forgotten.
   *
   * @throws validation_error with one entry per wrong member: `[2].code`.
   */
  set(rules: readonly RuleInput[]): Promise<Rule[]>
}

/**
 * Finds the rule of a recipient, for capture.
 *
 * @param which  `exact` ignores rules for domains and patterns, because only a rule for the exact address applies to a
 *   simulator address.
 * @returns The first that matches, the same object until the rules change; null if none does.
 */
export type FindRule = (recipient: string, which: 'all' | 'exact') => Rule | null

/** {@link Rules}, and what the composition root needs of them. */
export interface InnerRules extends Rules {
  readonly find: FindRule
  /** Reads the stored rules again, after a restore replaced them. */
  reload(): Promise<void>
  /** Sets the rules of the options again, after a reset. */
  reset(): Promise<void>
}

/**
 * The rules of an instance.
 *
 * @param deps.given  The rules of the options, which replace the stored ones at every start. null keeps the stored ones.
 * @param deps.following  Follows the rules that other instances set. Default: a new one.
 */
export async function createRules(deps: {
  store: Store
  given: readonly RuleInput[] | null
  following?: Following
}): Promise<InnerRules> {
  const { store, given, following = createFollowing() } = deps
  let known: readonly Rule[] = []
  let compiled = compile(known)

  function take(rules: readonly Rule[]): void {
    known = rules
    compiled = compile(rules)
  }

  async function set(input: readonly RuleInput[]): Promise<Rule[]> {
    const rules = parseInput(rulesInputSchema, input).map(fillRule)
    await untilCommitted(async () => {
      const stored = await store.get(rulesCollection, recordId)
      const record = { id: recordId, version: stored?.version ?? 1, rules }
      await store.commit([stored ? update(rulesCollection, record) : insert(rulesCollection, record)])
      take(rules)
    })
    if (store.isShared) await forgetAttempts(store)
    return structuredClone(rules)
  }

  await following.open(store, rulesCollection, {
    ids: () => [recordId],
    put({ rules }) {
      // Greylisted attempts are forgotten only if the rules differ.
      if (JSON.stringify(rules) !== JSON.stringify(known)) take(rules)
    },
    remove: () => take([]),
  })
  if (given) await set(given)
  return {
    get: async () => structuredClone([...known]),
    set,
    find(recipient, which) {
      const found = compiled.find(({ match }) => (which === 'all' || match.isExact) && match.test(recipient))
      return found?.rule ?? null
    },
    async reload() {
      take((await store.get(rulesCollection, recordId))?.rules ?? [])
    },
    async reset() {
      await set(given ?? [])
    },
  }
}

const recordId = 'rules'

function compile(rules: readonly Rule[]): { rule: Rule; match: Match }[] {
  return rules.flatMap((rule) => {
    const match = readMatch(rule.match)
    return 'problem' in match ? [] : [{ rule, match }]
  })
}

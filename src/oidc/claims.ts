import { LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { isAccountName } from '../users/users-text.ts'
import type { Role, User } from '../users/user.ts'

/** The claims of a provider about a user. */
export type Claims = Readonly<Record<string, unknown>>

/** The claims that decide what a user may do; members of the option `oidc`. */
export interface ClaimRules {
  readonly roleClaim: string
  readonly adminValues: readonly string[]
  readonly memberValues: readonly string[]
  /** null if members see the account `default`. */
  readonly accountsClaim: string | null
}

/**
 * The user that the claims describe.
 *
 * @throws insufficient_scope if the claims give the user no role, or a member no account.
 */
export function userOf(claims: Claims, rules: ClaimRules, host: string): User {
  const name = nameOf(claims)
  const refuse = (why: string): never => {
    throw new LocalpostError('insufficient_scope', `${name} may not sign in here: ${why}`)
  }
  const role = roleOf(claims, rules) ?? refuse(noRole(claims, rules, host))
  const accounts = accountsOf(claims, rules.accountsClaim, role)
  if (accounts.length > maxAccounts)
    refuse(`the claim ${quote(rules.accountsClaim)} names more than ${maxAccounts} accounts.`)
  if (role === 'member' && accounts.length === 0)
    refuse(`the claim ${quote(rules.accountsClaim)} of ${host} names no account.`)
  return { name, role, accounts }
}

/** Whether a claim that the rules need is missing. The provider's userinfo endpoint may have it. */
export function lacksClaims(claims: Claims, { roleClaim, accountsClaim }: ClaimRules): boolean {
  const verified = roleClaim === 'email' ? 'email_verified' : null
  return [roleClaim, accountsClaim, verified].some(
    (name) => name !== null && claimOf(claims, name) === undefined,
  )
}

function roleOf(claims: Claims, { roleClaim, adminValues, memberValues }: ClaimRules): Role | null {
  if (isUnverifiedEmail(claims, roleClaim)) return null
  const values = textsOfClaim(claimOf(claims, roleClaim))
  if (values.some((value) => adminValues.includes(value))) return 'admin'
  return values.some((value) => memberValues.includes(value)) ? 'member' : null
}

/** Whether the role depends on an address that is not verified: a user could enter that of an admin at the provider. */
function isUnverifiedEmail(claims: Claims, roleClaim: string): boolean {
  return roleClaim === 'email' && claims['email_verified'] !== true
}

function noRole(claims: Claims, { roleClaim }: ClaimRules, host: string): string {
  const claim = `the claim ${quote(roleClaim)} of ${host}`
  if (isUnverifiedEmail(claims, roleClaim))
    return `${host} does not say that the address is verified. Ask an admin.`
  return claimOf(claims, roleClaim) === undefined
    ? `${claim} is missing. Ask an admin to give you a role.`
    : `${claim} gives no role. Ask an admin to give you one.`
}

function accountsOf(claims: Claims, name: string | null, role: Role): string[] {
  const claim = name === null ? undefined : claimOf(claims, name)
  // An admin sees all accounts.
  if (claim === undefined) return name === null || role === 'admin' ? ['default'] : []
  // The claim may be a list of groups, not all of which are names of accounts.
  return [...new Set(textsOfClaim(claim).filter(isAccountName))]
}

function nameOf(claims: Claims): string {
  const given = ['preferred_username', 'email', 'name', 'sub'].map((claim) => claims[claim])
  const texts = given.map((text) => (typeof text === 'string' ? shown(text) : ''))
  return texts.find((text) => text !== '') ?? 'a user without a name'
}

/** Without characters that are invisible or change the direction of writing. */
function shown(text: string): string {
  return (
    text
      .slice(0, 1000)
      .replace(/\p{C}+/gu, '')
      .trim()
      .slice(0, 100)
      // A surrogate whose other half was cut off.
      .replace(/\p{Cs}$/u, '')
  )
}

/** The claim with exactly this name, otherwise the one at this path: `realm_access.roles`. */
function claimOf(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name] ?? undefined
  let value: unknown = claims
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = Reflect.get(value, part)
  }
  return value ?? undefined
}

/** The texts of a claim: a text, a list, or an object with the texts as its keys. */
function textsOfClaim(claim: unknown): string[] {
  if (Array.isArray(claim)) return claim.filter((value) => typeof value === 'string')
  if (typeof claim === 'object' && claim !== null) return Object.keys(claim)
  return ['string', 'number', 'boolean'].includes(typeof claim) ? [String(claim)] : []
}

/** Far more than a user needs: a claim may be of any length. */
const maxAccounts = 100

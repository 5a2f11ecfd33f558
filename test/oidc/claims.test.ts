import { describe, expect, it } from 'vitest'
import { lacksClaims, userOf, type Claims, type ClaimRules } from '../../src/oidc/claims.ts'

const rules: ClaimRules = {
  roleClaim: 'roles',
  adminValues: ['admins', 'root'],
  memberValues: ['staff'],
  accountsClaim: null,
}
const user = (claims: Claims, changed: Partial<ClaimRules> = {}): unknown => {
  try {
    return userOf({ sub: 'id-1', ...claims }, { ...rules, ...changed }, 'login.test')
  } catch (error) {
    return error instanceof Error ? error.message : error
  }
}

describe('the role', () => {
  it.each<[string, unknown, 'admin' | 'member' | null]>([
    ['a text', 'staff', 'member'],
    ['a list', ['x', 'staff'], 'member'],
    ['a list with both', ['staff', 'root'], 'admin'],
    ['the keys of an object', { admins: { org: 'acme' } }, 'admin'],
    ['part of a text', 'staff admins', null],
    ['of other case', 'Staff', null],
    ['a list in a list', [['staff']], null],
    ['empty', [], null],
    ['null', null, null],
    ['missing', undefined, null],
  ])('is decided by a claim that is %s', (_, roles, role) => {
    const name = 'id-1'
    if (role) expect(user({ roles })).toEqual({ name, role, accounts: ['default'] })
    else
      expect(user({ roles })).toMatch(
        /^id-1 may not sign in here: the claim "roles" of login\.test (?:is missing|gives no role)/,
      )
  })

  it.each<[string, Claims]>([
    ['realm_access.roles', { realm_access: { roles: ['staff'] } }],
    ['https://acme.test/roles', { 'https://acme.test/roles': 'staff' }],
    ['a.b', { 'a.b': 'staff', a: { b: 'admins' } }],
  ])('may stand at %s', (roleClaim, claims) => {
    expect(user(claims, { roleClaim })).toMatchObject({ role: 'member' })
  })

  it.each(['__proto__', 'constructor.name', 'toString', 'roles.length', 'a.__proto__.b'])(
    'is not found in what objects inherit: %s',
    (roleClaim) => {
      expect(user({ a: {}, roles: 'staff' }, { roleClaim, adminValues: ['Object', '5'] })).toMatch(
        /is missing/,
      )
    },
  )

  it('is given by an address only if the provider says that it is verified', () => {
    const mail = { roleClaim: 'email', memberValues: ['ada@acme.test'] }
    const claims = { email: 'ada@acme.test' }
    expect(user({ ...claims, email_verified: true }, mail)).toMatchObject({ role: 'member' })
    for (const email_verified of [undefined, false, 'true', 1])
      expect(user({ ...claims, email_verified }, mail)).toContain('does not say that the address is verified')
  })
})

describe('the accounts', () => {
  const roles = 'staff'
  const named = { accountsClaim: 'accounts' }

  it('are those of the claim that may be names of accounts; without a claim in the options, default', () => {
    expect(user({ roles, accounts: 'shop' })).toMatchObject({ accounts: ['default'] })
    expect(user({ roles, accounts: 'shop' }, named)).toMatchObject({ accounts: ['shop'] })
    const accounts = ['shop', 'Domain Users', '', 7, 'shop', 'a'.repeat(101), 'bank']
    expect(user({ roles, accounts }, named)).toMatchObject({ accounts: ['shop', 'bank'] })
  })

  it('are needed by a member, and at most 100', () => {
    for (const accounts of [[], undefined, 'Domain Users'])
      expect(user({ roles, accounts }, named)).toMatch(
        /the claim "accounts" of login\.test names no account\.$/,
      )
    expect(user({ roles: 'root' }, named)).toMatchObject({ role: 'admin', accounts: ['default'] })
    const many = Array.from({ length: 101 }, (_, i) => `a${i}`)
    expect(user({ roles, accounts: many }, named)).toMatch(/names more than 100 accounts\.$/)
  })
})

it('shows the first name there is, without characters that hide or turn others', () => {
  const roles = 'staff'
  for (const [claims, name] of [
    [{ preferred_username: 'ada', email: 'a@b.test' }, 'ada'],
    [{ preferred_username: ' \u202e\u0000 ', email: 'a@b.test' }, 'a@b.test'],
    [{ preferred_username: 7, name: 'Ada\u200b L\u2066' }, 'Ada L'],
    [{ preferred_username: 'x'.repeat(5000) }, 'x'.repeat(100)],
    [{ sub: '\n' }, 'a user without a name'],
  ] as const)
    expect(user({ roles, ...claims })).toMatchObject({ name })
})

it('says which claims the userinfo endpoint may have', () => {
  expect(lacksClaims({ roles: [] }, rules)).toBe(false)
  expect(lacksClaims({ roles: null }, rules)).toBe(true)
  const mail = { ...rules, roleClaim: 'email' }
  expect(lacksClaims({ email: 'ada@acme.test' }, mail)).toBe(true)
  expect(lacksClaims({ email: 'ada@acme.test', email_verified: false }, mail)).toBe(false)
  const both = { ...rules, accountsClaim: 'accounts' }
  expect(lacksClaims({ roles: [], accounts: [] }, both)).toBe(false)
  for (const claims of [{}, { roles: 'x' }, { accounts: 'x' }, { roles: null, accounts: 'x' }])
    expect(lacksClaims(claims, both)).toBe(true)
})

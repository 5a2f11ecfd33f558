import { beforeEach, describe, expect, it } from 'vitest'
import { createCheckedPasswords, type CheckedPasswords } from '../../src/users/checked-passwords.ts'
import type { UserLine } from '../../src/users/users-text.ts'

const ada: UserLine = { name: 'ada', role: 'admin', accounts: ['default'], hash: 'first' }

describe('a password that was right', () => {
  let now = 0
  let user: UserLine | null = ada
  let checks = 0
  let counted = 0
  let passwords: CheckedPasswords
  const begin = (): (() => void) => {
    counted++
    return () => void counted--
  }
  const check = (password = 'right'): Promise<UserLine | null> => passwords.check('ada', password, begin)
  beforeEach(() => {
    now = 0
    user = ada
    checks = 0
    counted = 0
    const users = {
      find: () => user,
      async check(_: string, password: string) {
        checks++
        await Promise.resolve()
        return password.startsWith('right') ? user : null
      },
    }
    passwords = createCheckedPasswords(users, () => now)
  })

  it('is not checked again for five minutes', async () => {
    expect(await check()).toBe(ada)
    now = 5 * 60_000 - 1
    expect(await check()).toBe(ada)
    expect(checks).toBe(1)
    now++
    await check()
    expect([checks, counted]).toEqual([2, 0])
  })

  it('is forgotten when it is changed, and when the user is removed', async () => {
    await check()
    user = { ...ada, hash: 'second' }
    await check()
    expect(checks).toBe(2)
    user = null
    expect(await check()).toBeNull()
    expect(checks).toBe(3)
  })

  it('is checked once for requests at the same time', async () => {
    expect(await Promise.all(Array.from({ length: 50 }, () => check()))).toEqual(
      Array.from({ length: 50 }, () => ada),
    )
    expect([checks, counted]).toEqual([1, 0])
  })

  it('is one of at most 1,000', async () => {
    for (let i = 0; i < 1001; i++) await check(`right ${i}`)
    await check('right 1')
    expect(checks).toBe(1001)
    await check('right 0')
    expect(checks).toBe(1002)
  })

  it('does not make a wrong one right, which is checked and counted each time', async () => {
    await check()
    for (let i = 1; i <= 3; i++) {
      expect(await check('wrong')).toBeNull()
      expect([checks, counted]).toEqual([1 + i, i])
    }
  })

  it('is not that of another name that makes the same text', async () => {
    await check('right","x')
    expect(await passwords.check('ada","right', 'x', begin)).toBeNull()
    expect(checks).toBe(2)
  })
})

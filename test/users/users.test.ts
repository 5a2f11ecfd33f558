import { chmodSync, existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { nextTurn, sleep } from '../../src/core/machine.ts'
import { createPasswords, isPasswordHash } from '../../src/users/password.ts'
import { parseUsers, withoutUser, withUser } from '../../src/users/users-text.ts'
import { changeUsersFile, readUsers } from '../../src/users/users-file.ts'
import { openUsers } from '../../src/users/users.ts'
import { temporaryFolder } from '../support/folder.ts'

const passwords = createPasswords()
const hash = await passwords.hash('correct horse')
const line = (name: string, role = 'member', accounts = 'default', of = hash): string =>
  `${name}:${role}:${accounts}:${of}\n`

describe('password hashes', () => {
  it('match only their password, and each has its own salt', async () => {
    expect(hash).toMatch(/^\$scrypt\$ln=15,r=8,p=1\$[^$]{22}\$[^$]{43}$/)
    expect(await passwords.matches('correct horse', hash)).toBe(true)
    for (const wrong of ['', 'correct hors', 'correct horse ', 'Correct horse'])
      expect(await passwords.matches(wrong, hash)).toBe(false)
    expect(await passwords.hash('correct horse')).not.toBe(hash)
  })

  it('match the same letters in another Unicode form', async () => {
    expect(await passwords.matches('cafe\u0301 noir', await passwords.hash('caf\u00e9 noir'))).toBe(true)
  })

  it('never match without a hash', async () => {
    expect(await passwords.matches('correct horse', null)).toBe(false)
  })

  it.each([
    'x',
    'correct horse',
    hash.slice(0, -1),
    hash.replace('ln=15', 'ln=1'),
    hash.replace('ln=15', 'ln=30'),
    hash.replace('r=8', 'r=64'),
    hash.replace('p=1', 'p=9'),
  ])('are refused with other forms and parameters: %#', (text) => {
    expect(isPasswordHash(text)).toBe(false)
  })

  it('leave the event loop free, and at most two are made at once', async () => {
    const refused: unknown[] = []
    let made = 0
    const calls = Array.from({ length: 40 }, () =>
      passwords.matches('x', hash).then(
        () => made++,
        (error: unknown) => refused.push(error),
      ),
    )
    // What is made after a turn of the event loop did not hold it up, and what is refused by then did not wait in vain.
    await nextTurn()
    expect(made).toBeLessThanOrEqual(2)
    expect(refused).toHaveLength(18)
    expect(refused[0]).toMatchObject({ code: 'service_unavailable' })
    await Promise.all(calls)
  })
})

describe('a file of users', () => {
  it('has names, roles and accounts, and comments between them', () => {
    const text = `# our team\n\n${line('ada', 'admin')}${line('grace@acme.test', 'member', 'shop,default')}`
    expect([...parseUsers(text, 'users').values()]).toEqual([
      { name: 'ada', role: 'admin', accounts: ['default'], hash },
      { name: 'grace@acme.test', role: 'member', accounts: ['shop', 'default'], hash },
    ])
    expect(parseUsers(text.replaceAll('\n', '\r\n'), 'users').size).toBe(2)
  })

  it.each([
    ['a name with a space', line('a b'), /line 1: "a b" is no name/],
    ['no name', line(''), /line 1: "" is no name/],
    ['a name that is too long', line('a'.repeat(101)), /is no name/],
    ['another role', `# x\n${line('ada', 'root')}`, /line 2: the role is "root"/],
    ['no account', line('ada', 'member', ''), /no list of accounts/],
    ['a password in place of its hash', line('ada', 'member', 'default', 'hunter2'), /no password hash/],
    ['a further member', line('ada').replace('\n', ':x\n'), /no password hash/],
    ['a name twice', line('ada') + line('ada'), /line 2: "ada" is there already/],
  ])('is refused with %s', (_, text, message) => {
    const read = (): unknown => parseUsers(text, 'users')
    expect(read).toThrow(message)
    expect(read).not.toThrow(/hunter2|scrypt\$/)
  })

  it('keeps its other lines when a user is added, changed or removed', () => {
    const text = `# our team\n${line('ada')}${line('grace')}`
    const changed = withUser(text, { name: 'ada', role: 'admin', accounts: ['shop'], hash })
    expect(changed).toBe(`# our team\n${line('ada', 'admin', 'shop')}${line('grace')}`)
    expect(withoutUser(text, 'ada')).toBe(`# our team\n${line('grace')}`)
    expect(withUser('# x', { name: 'ada', role: 'member', accounts: ['default'], hash })).toBe(
      `# x\n${line('ada')}`,
    )
  })

  it('is readable only by its owner, written in one piece, and in place of the target of a link', () => {
    const folder = temporaryFolder()
    const path = join(folder, 'users')
    changeUsersFile(path, () => ({ text: line('ada') }))
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const link = join(folder, 'link')
    symlinkSync(path, link)
    changeUsersFile(link, (text) => ({ text: text + line('grace') }))
    expect(readUsers(path).size).toBe(2)
    expect(() =>
      changeUsersFile(path, () => {
        throw new Error('stop')
      }),
    ).toThrow('stop')
    expect([readUsers(path).size, existsSync(`${path}.new`)]).toEqual([2, false])
    writeFileSync(`${path}.new`, '')
    expect(() => changeUsersFile(path, (text) => ({ text }))).toThrow(/another command.*remove/)
  })

  it.each([
    ['missing', (path: string) => path, /does not exist/],
    ['a folder', (path: string) => join(path, '..'), /cannot be read/],
    ['too large', (path: string) => (writeFileSync(path, `#${'x'.repeat(300_000)}`), path), /larger than/],
    ['not UTF-8', (path: string) => (writeFileSync(path, new Uint8Array([0xff])), path), /cannot be read/],
  ])('ends the start if it is %s', (_, prepare, message) => {
    const path = prepare(join(temporaryFolder(), 'users'))
    expect(() => openUsers(path, () => undefined)).toThrow(message)
  })

  it('is read again when it changes; a broken one changes nothing', async () => {
    const path = join(temporaryFolder(), 'users')
    writeFileSync(path, line('ada'))
    const problems: string[] = []
    const users = openUsers(path, (error) => problems.push(error.message))
    expect(await users.check('ada', 'correct horse')).toMatchObject({ name: 'ada', role: 'member' })
    expect(await users.check('ada', 'wrong')).toBeNull()
    expect(await users.check('grace', 'correct horse')).toBeNull()
    writeFileSync(path, line('grace'))
    await expect.poll(() => users.find('grace')?.name, { timeout: 5000 }).toBe('grace')
    expect(users.find('ada')).toBeNull()
    writeFileSync(path, 'nonsense')
    await expect.poll(() => (users.find('x'), problems), { timeout: 5000 }).toHaveLength(1)
    expect(users.find('grace')?.name).toBe('grace')
    chmodSync(path, 0o600)
    expect(readFileSync(path, 'utf8')).toBe('nonsense')
  })

  it('keeps its users, with one report, while it cannot even be looked at', async () => {
    const path = join(temporaryFolder(), 'users')
    writeFileSync(path, line('ada'))
    const problems: string[] = []
    const users = openUsers(path, (error) => problems.push(error.message))
    rmSync(path)
    // A link to itself cannot be followed: `stat` throws, as it does in a folder without permission.
    symlinkSync(path, path)
    await expect.poll(() => (users.find('ada'), problems), { timeout: 5000 }).toHaveLength(1)
    await sleep(600)
    expect(users.find('ada')?.name).toBe('ada')
    expect(problems).toEqual([expect.stringContaining('cannot be read')])
  })
})

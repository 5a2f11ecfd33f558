import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createPasswords } from '../../src/users/password.ts'
import { readUsers } from '../../src/users/users-file.ts'
import { temporaryFolder } from '../support/folder.ts'
import { hasPrograms } from '../support/programs.ts'
import { runCommand, startCommand } from './command.ts'

const hasTerminals = hasPrograms('passwords in a terminal', ['script'])

async function user(args: string[], input = ''): Promise<{ code: number | null; text: string }> {
  const command = runCommand(['user', ...args])
  if (input) command.type(input)
  const { code } = await command.ended
  return { code, text: command.stdout() + command.stderr() }
}

describe('localpost user', () => {
  it('adds, changes, lists and removes users', async () => {
    const path = join(temporaryFolder(), 'users')
    const users = `--users=${path}`
    expect(
      (await user(['add', 'ada', users, '--role=admin', '--password-stdin'], 'correct horse\n')).code,
    ).toBe(0)
    expect(
      (await user(['add', 'grace', users, '--accounts=shop,default', '--password-stdin'], 'hunter2x\r\n'))
        .code,
    ).toBe(0)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(await user(['list', users])).toEqual({
      code: 0,
      text: 'ada  admin  default\ngrace  member  shop,default\n',
    })
    const before = readUsers(path).get('ada')?.hash ?? ''
    expect(await createPasswords().matches('correct horse', before)).toBe(true)
    const changed = await user(['add', 'ada', users, '--password-stdin'], 'battery staple\n')
    expect(changed.text).toContain('Changed ada')
    const after = readUsers(path).get('ada')
    expect([after?.role, after?.hash === before]).toEqual(['admin', false])
    expect((await user(['remove', 'ada', users])).code).toBe(0)
    expect((await user(['list', users])).text).toBe('grace  member  shop,default\n')
    expect(readFileSync(path, 'utf8')).not.toMatch(/hunter2|correct|battery/)
  })

  it.each<[string, string[], string, RegExp]>([
    ['no file', ['add', 'ada'], '', /add --users <file>/],
    ['no action', ['--users=x'], '', /Use one of: user add/],
    ['another action', ['drop', 'ada', '--users=x'], '', /Use one of: user add/],
    ['no name', ['add', '--users=x'], '', /Use one of: user add/],
    ['a wrong name', ['add', 'a b', '--users=x'], '', /"a b" is no name/],
    ['a wrong role', ['add', 'ada', '--users=x', '--role=root'], '', /--role is "root"/],
    ['wrong accounts', ['add', 'ada', '--users=x', '--accounts=a/b'], '', /--accounts is "a\/b"/],
    ['a short password', ['add', 'ada', '--users=x', '--password-stdin'], 'hunter2\n', /too short/],
    ['no terminal', ['add', 'ada', '--users=x'], '', /Add --password-stdin/],
    ['a user that is not there', ['remove', 'ada', '--users=x'], '', /There is no user "ada"/],
  ])('refuses %s', async (_, args, input, message) => {
    const { code, text } = await user(args, input)
    expect([code, text]).toEqual([2, expect.stringMatching(message)])
    expect(text).not.toContain('hunter2')
  })

  it.runIf(hasTerminals)('asks twice in a terminal, without echo', async () => {
    const path = join(temporaryFolder(), 'users')
    const command = runCommand(['user', 'add', 'ada', `--users=${path}`], { terminal: true })
    await command.until(/Password for ada: /)
    command.type('correcx\u007ft horse\r')
    await command.until(/Again: /)
    command.type('correct horse\r')
    await command.until(/Added ada/)
    expect((await command.ended).code).toBe(0)
    expect(command.stdout()).not.toContain('horse')
    expect(await createPasswords().matches('correct horse', readUsers(path).get('ada')?.hash ?? '')).toBe(
      true,
    )
  })

  it('changes who may sign in to a running server', async () => {
    const path = join(temporaryFolder(), 'users')
    await user(['add', 'ada', `--users=${path}`, '--password-stdin'], 'correct horse\n')
    const { url } = await startCommand(['--memory', '--require-key', `--users=${path}`])
    const signIn = async (password: string): Promise<number> => {
      const body = JSON.stringify({ name: 'ada', password })
      const headers = { 'content-type': 'application/json' }
      return (await fetch(`${url}/dev/session`, { method: 'POST', headers, body })).status
    }
    expect([await signIn('wrong'), await signIn('correct horse')]).toEqual([401, 200])
    await user(['remove', 'ada', `--users=${path}`])
    await expect.poll(() => signIn('correct horse'), { timeout: 5000 }).toBe(401)
  })
})

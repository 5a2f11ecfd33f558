import { invalidOption } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { createPasswords } from '../users/password.ts'
import { changeUsersFile, readUsers } from '../users/users-file.ts'
import {
  isAccountName,
  isRole,
  isUserName,
  nameRule,
  parseUsers,
  withoutUser,
  withUser,
} from '../users/users-text.ts'
import type { Arguments } from './arguments.ts'
import { readEnvironment } from './environment.ts'
import type { Output } from './output.ts'
import { askPassword, readPassword } from './password.ts'

/**
 * Runs `localpost user add|remove|list`, which read and write the file of users. A running server reads it again.
 *
 * @returns The exit code.
 * @throws invalid_option for a wrong command line or file.
 */
export async function runUser(given: Arguments, output: Output): Promise<0 | 1> {
  const [action = '', name, ...others] = given.words
  const path = given.options['users'] ?? readEnvironment(process.env).options['users']
  if (typeof path !== 'string') throw invalidOption('user needs the file of users: add --users <file>.')
  if (action === 'list' && name === undefined) return listUsers(path, output)
  const isKnown = action === 'add' || action === 'remove'
  if (!isKnown || name === undefined || others.length > 0)
    throw invalidOption('Use one of: user add <name>, user remove <name>, user list.')
  if (!isUserName(name)) throw invalidOption(`${quote(name)} is no name. ${nameRule}`)
  return action === 'add' ? addUser(path, name, given, output) : removeUser(path, name, output)
}

function listUsers(path: string, output: Output): 0 {
  for (const { name, role, accounts } of readUsers(path).values())
    output.log(`${name}  ${role}  ${accounts.join(',')}`)
  return 0
}

async function addUser(path: string, name: string, { flags }: Arguments, output: Output): Promise<0> {
  const { role, accounts } = flags
  if (role !== undefined && !isRole(role))
    throw invalidOption(`--role is ${quote(role)}; it is admin or member.`)
  const names = accounts?.split(',').map((account) => account.trim())
  if (names && !names.every(isAccountName))
    throw invalidOption(
      `--accounts is ${quote(accounts)}; it takes names with commas between them: default,shop.`,
    )
  const password =
    flags['password-stdin'] === 'true' ? await readPassword(process.stdin) : await askPassword(name)
  const hash = await createPasswords().hash(password)
  const { isNew } = changeUsersFile(path, (text) => {
    const known = parseUsers(text, path).get(name)
    const user = {
      name,
      role: role ?? known?.role ?? ('member' as const),
      accounts: names ?? known?.accounts ?? ['default'],
      hash,
    }
    return { text: withUser(text, user), isNew: known === undefined }
  })
  output.log(isNew ? `Added ${name} to ${path}.` : `Changed ${name} in ${path}. Earlier sessions have ended.`)
  return 0
}

function removeUser(path: string, name: string, output: Output): 0 {
  changeUsersFile(path, (text) => {
    if (!parseUsers(text, path).has(name)) throw invalidOption(`There is no user ${quote(name)} in ${path}.`)
    return { text: withoutUser(text, name) }
  })
  output.log(`Removed ${name} from ${path}. Their sessions have ended.`)
  return 0
}

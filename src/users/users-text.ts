import { invalidOption } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { isPasswordHash } from './password.ts'
import type { Role, User } from './user.ts'

/** A user and the hash of the password. */
export interface UserLine extends User {
  readonly hash: string
}

/** The largest file of users, in bytes: about 1,500 of them. */
export const maxUsersBytes: number = 256 * 1024

/**
 * Reads a file of users: one on each line, `name:role:accounts:hash`. Empty lines and those that begin with `#` are
 * comments.
 *
 * @throws invalid_option with the number of the line; hashes are not quoted.
 */
export function parseUsers(text: string, path: string): Map<string, UserLine> {
  const users = new Map<string, UserLine>()
  for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) {
    if (isComment(line)) continue
    const refuse: (what: string) => never = (what) => {
      throw invalidOption(`--users: ${path}, line ${index + 1}: ${what}`)
    }
    const [name = '', role = '', accounts = '', hash = '', ...others] = line.trim().split(':')
    if (!isUserName(name)) refuse(`${quote(name)} is no name. ${nameRule}`)
    if (!isRole(role)) refuse(`the role is ${quote(role)}; it is admin or member.`)
    const names = accounts.split(',')
    if (!names.every(isAccountName)) refuse(`${quote(accounts)} is no list of accounts such as default,shop.`)
    if (!isPasswordHash(hash) || others.length > 0)
      refuse('this is no password hash. Write the line with `localpost user add`.')
    if (users.has(name)) refuse(`${quote(name)} is there already. Remove one of the two lines.`)
    users.set(name, { name, role, accounts: names, hash })
  }
  return users
}

/** Adds the line of a user to the text of a file, or replaces the one with this name. The other lines stay as they are. */
export function withUser(text: string, { name, role, accounts, hash }: UserLine): string {
  return withLine(text, name, [name, role, accounts.join(','), hash].join(':'))
}

/** The text of a file without the line of a user. The other lines stay as they are. */
export function withoutUser(text: string, name: string): string {
  return withLine(text, name, null)
}

/** The text with another line of a user; null for none. */
function withLine(text: string, name: string, replacement: string | null): string {
  const lines = text.split(/\r\n|\n|\r/)
  if (lines.at(-1) === '') lines.pop()
  const at = lines.findIndex((one) => !isComment(one) && one.trim().startsWith(`${name}:`))
  const added = replacement === null ? [] : [replacement]
  lines.splice(at >= 0 ? at : lines.length, 1, ...added)
  return lines.map((one) => `${one}\n`).join('')
}

/** The rule for user names, for error messages. */
export const nameRule = 'A name has up to 100 letters, digits, and the characters . _ - + @.'

export function isUserName(name: string): boolean {
  return /^[\p{L}\p{N}._+@-]{1,100}$/u.test(name)
}

export function isAccountName(name: string): boolean {
  return /^[\w.-]{1,100}$/.test(name)
}

export function isRole(role: string): role is Role {
  return role === 'admin' || role === 'member'
}

function isComment(line: string): boolean {
  return line.trim() === '' || line.trim().startsWith('#')
}

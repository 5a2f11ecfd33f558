import { validationError } from '../../core/errors.ts'
import { quote } from '../../core/quote.ts'

/** How many parameters a request may have. */
const maxParameters = 2000
const maxDepth = 8
/** How many bytes of the name of an action are read. */
const maxNameLength = 200

/**
 * Reads the body of a request of the query protocol: `Destination.ToAddresses.member.1=…` becomes objects and lists.
 *
 * @throws validation_error
 * @see https://smithy.io/2.0/aws/protocols/aws-query-protocol.html
 */
export function readQuery(text: string): Record<string, unknown> {
  // Before it is parsed, because each parameter takes memory.
  let parameters = 0
  for (let start = 0, end = 0; end !== text.length; start = end + 1) {
    const separator = text.indexOf('&', start)
    end = separator === -1 ? text.length : separator
    // `URLSearchParams` has no parameter between two separators side by side.
    if (end > start && ++parameters > maxParameters)
      throw fault(`must have at most ${maxParameters} parameters`)
  }
  const root: Tree = new Map()
  for (const [name, value] of new URLSearchParams(text)) {
    put(root, name, value)
  }
  return toObject(root)
}

/**
 * The action of a body, wherever it stands among the parameters; null without one. It is searched in the bytes, so that a long
 * body is parsed in the thread alone.
 */
export function actionOf(bytes: Buffer): string | null {
  for (let at = bytes.indexOf(actionName); at !== -1; at = bytes.indexOf(actionName, at + 1)) {
    if (at > 0 && bytes[at - 1] !== ampersand) continue
    const start = at + actionName.length
    const separator = bytes.indexOf(ampersand, start)
    const end = separator === -1 ? bytes.length : separator
    return bytes.toString('latin1', start, Math.min(end, start + maxNameLength))
  }
  return null
}

const actionName = 'Action='
const ampersand = 0x26

// Maps, so that no name reaches a prototype.
type Tree = Map<string, string | Tree>

function put(root: Tree, name: string, value: string): void {
  const path = name.split('.', maxDepth + 1)
  const last = path.pop()
  if (last === undefined || path.length >= maxDepth) throw fault(`${quote(name)} is nested too deep`)
  let tree = root
  for (const step of path) {
    const next = tree.get(step) ?? new Map<string, string | Tree>()
    if (typeof next === 'string') throw fault(`${quote(name)} contradicts another parameter`)
    tree.set(step, next)
    tree = next
  }
  if (tree.has(last)) throw fault(`${quote(name)} is given twice`)
  tree.set(last, value)
}

function toObject(tree: Tree): Record<string, unknown> {
  return Object.fromEntries(
    [...tree].map(([name, value]) => [name, typeof value === 'string' ? value : toValue(value)]),
  )
}

/** A list has the one member `member`, with numbers from 1 as names. */
function toValue(tree: Tree): unknown {
  const members = tree.get('member')
  if (tree.size !== 1 || members === undefined || typeof members === 'string') return toObject(tree)
  return [...members]
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([, value]) => (typeof value === 'string' ? value : toValue(value)))
}

const fault = (message: string): Error => validationError([{ field: 'body', message }])

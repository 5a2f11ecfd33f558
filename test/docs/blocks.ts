import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** The checkout's root. */
export const root: string = resolve(import.meta.dirname, '../..')

/** A fenced block of a document. */
export interface Block {
  /** As `docs/guides/ci.md:12`. */
  place: string
  language: string
  code: string
}

/** How a block is checked: every block has exactly one of these. */
export type Check =
  | 'vitest'
  | 'module'
  | 'shell'
  | 'pytest'
  | 'gotest'
  | 'junit'
  | 'rspec'
  | 'quoted'
  | 'yaml'
  | 'npm'
  | 'shown'
  | 'receiver'
  | 'payload'
  | 'logged'
  | 'settings'
  | 'recipe'
  | 'proxy'
  | 'balancer'
  | 'bridge'
  | 'elsewhere'

/** All blocks of the README and the guides, except the guides to searching and to clients, which have tests of their own. */
export function readBlocks(): Block[] {
  const guides = readdirSync(join(root, 'docs/guides')).filter(
    (name) => name.endsWith('.md') && name !== 'search.md' && name !== 'frameworks.md',
  )
  return ['README.md', 'CONTRIBUTING.md', ...guides.map((name) => `docs/guides/${name}`)].flatMap(blocksOf)
}

/**
 * The table: code is run with its usual tool; code that is part of an example is run with the example.
 *
 * - `vitest`, `module`, `pytest`: run against a real instance, and must succeed; output in a module's comments
 *     is compared with the real output.
 * - `gotest`, `junit`, `rspec`: likewise, by `npm run test:all`, since they take long to compile or have to be installed.
 * - `shell`: run by bash against a real instance.
 * - `quoted`: found word for word in a file of examples/, which `npm run test:all` runs.
 * - `yaml`: its shell lines use existing flags, and its addresses are the default ones.
 * - `npm`: starts or installs something; its scripts and flags exist.
 * - `shown`: the output of a program; compared with the real output.
 * - `receiver`: a receiver of webhooks; it gets a genuine and a forged request.
 * - `payload`: the body of a webhook; it has the members of a real one.
 * - `logged`: a line of the log in JSON; test/cli/json-log.test.ts compares its members with those of a real one.
 * - `settings`: those of an agent; they are JSON or TOML, and name the default address.
 * - `recipe`: for test runners that are not run here. Its syntax, paths and flags are checked, and its functions called.
 * - `proxy`: the configuration of a proxy for the default address of the page and the API. Those of nginx and
 *   HAProxy are run by test/server/real-proxies.test.ts.
 * - `balancer`: of HAProxy before two instances; `npm run test:all` runs it.
 * - `bridge`: the client of Symfony's bridges; `npm run test:all` sends with it.
 * - `elsewhere`: a command for another machine, with a name that is reserved for examples (RFC 6761).
 *
 * @returns null for a block of no known kind.
 */
export function checkOf({ place, language, code }: Block): Check | null {
  if (place.startsWith('docs/guides/testing-elsewhere.md:')) return 'recipe'
  if (code.includes('WEBHOOK_SECRET')) return 'receiver'
  switch (language) {
    case 'ts':
      return code.includes("'localpost/vitest'") ? 'vitest' : 'module'
    case 'js':
      return /^import .* from '(?:localpost|nodemailer)'$/m.test(code) && !code.includes('export default')
        ? 'module'
        : 'quoted'
    case 'python':
      return code.includes('import pytest') ? 'pytest' : null
    case 'go':
      return code.includes('"testing"') ? 'gotest' : null
    case 'java':
      return 'junit'
    case 'ruby':
      return code.includes('require "rspec"') ? 'rspec' : null
    case 'yaml':
      return 'yaml'
    case 'text':
      return 'shown'
    case 'json':
      if (code.includes('"what":')) return 'logged'
      return /"(?:mcpServers|servers)"/.test(code) ? 'settings' : 'payload'
    case 'toml':
      return 'settings'
    case 'sh':
      if (/^(?:npm|npx|docker) /m.test(code)) return 'npm'
      return /\.example\.test\b/.test(code) ? 'elsewhere' : 'shell'
    case 'haproxy':
      return code.includes('bind :8025') ? 'balancer' : 'proxy'
    case 'php':
      return code.includes('Symfony\\') ? 'bridge' : null
    case 'nginx':
    case 'caddy':
      return 'proxy'
    default:
      return null
  }
}

/** The blocks with this check. */
export function blocksFor(check: Check): Block[] {
  return readBlocks().filter((block) => checkOf(block) === check)
}

function blocksOf(file: string): Block[] {
  const lines = readFileSync(join(root, file), 'utf8').split('\n')
  const blocks: Block[] = []
  let open: { at: number; language: string } | null = null
  for (const [index, line] of lines.entries()) {
    if (!line.startsWith('```')) continue
    if (!open) open = { at: index, language: line.slice(3).trim() }
    else {
      const code = `${lines.slice(open.at + 1, index).join('\n')}\n`
      blocks.push({ place: `${file}:${open.at + 2}`, language: open.language, code })
      open = null
    }
  }
  if (open) throw new Error(`${file}:${open.at + 1} begins a block that never ends.`)
  return blocks
}

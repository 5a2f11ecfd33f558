import { describe, expect, it } from 'vitest'
import { renderCliReference } from '../../scripts/cli-reference.ts'
import { namedCommands, serveCommand } from '../../src/cli/commands.ts'
import { runToEnd } from './command.ts'

describe('the reference of the command line', () => {
  it('contains the help of every command and every option; `npm run docs` writes it', async () => {
    const helps: Record<string, string> = {}
    for (const { name } of [serveCommand, ...namedCommands]) {
      const { code, stdout, stderr } = await runToEnd(name ? [name, '--help', 'all'] : ['--help'])
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      helps[name] = stdout
    }
    await expect(renderCliReference(helps)).toMatchFileSnapshot('../../docs/cli.md')
  })

  it('belongs to the version that the command prints', async () => {
    const { code, stdout } = await runToEnd(['--version'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})

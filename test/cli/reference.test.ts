import { describe, expect, it } from 'vitest'
import { renderCliReference } from '../../scripts/cli-reference.ts'
import { runToEnd } from './command.ts'

describe('the reference of the command line', () => {
  it('shows the help as the command prints it, and every option; `npm run docs` writes it', async () => {
    const { code, stdout } = await runToEnd(['--help'])
    expect(code).toBe(0)
    // The version would make it stale at every release.
    const help = stdout.replace(/ \(localpost v[^)]*\)/, '')
    await expect(renderCliReference(help)).toMatchFileSnapshot('../../docs/cli.md')
  })

  it('stands beside a version that the command tells', async () => {
    const { code, stdout } = await runToEnd(['--version'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})

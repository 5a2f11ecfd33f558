import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { renderProviderReference } from '../../scripts/provider-reference.ts'
import { providerNames } from '../../src/providers/names.ts'
import { providers } from '../../src/providers/providers.ts'

test.each(providers.map((provider) => [provider.face.name, provider] as const))(
  'the page of %s has its tables; `npm run docs` writes them',
  async (name, provider) => {
    const path = `../../docs/providers/${name}.md`
    const page = readFileSync(new URL(path, import.meta.url), 'utf8')
    await expect(await renderProviderReference(provider, page)).toMatchFileSnapshot(path)
  },
)

const withKey = providers.map(({ face }) => face).filter(({ access = 'key' }) => access === 'key')

test('the library and faults know every provider whose paths take a key', () => {
  expect([...providerNames]).toEqual(withKey.map(({ prefix }) => prefix.slice(1)))
})

test('the guide names the base URL and the variables of each', () => {
  const guide = readFileSync(new URL('../../docs/guides/providers.md', import.meta.url), 'utf8')
  for (const { name, title, prefix, connect } of withKey) {
    const row = guide.split('\n').find((line) => line.startsWith(`| [${title}](../providers/${name}.md)`))
    expect(row).toContain(`\`http://127.0.0.1:8025${prefix}\``)
    for (const variable of Object.keys(connect.variables)) expect(row).toContain(`\`${variable}\``)
  }
})

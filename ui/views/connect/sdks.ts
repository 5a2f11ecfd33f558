import type { ProviderInfo } from '../../../src/server/schema.ts'

/**
 * What an app that uses the SDK of a provider needs: the variables that the SDK reads, and a program.
 *
 * @param key  `""` if the server does not send it.
 */
export function sdkSnippets(
  providers: readonly ProviderInfo[],
  { base, key }: { base: string; key: string },
): { name: string; text: string }[] {
  const filled = (text: string): string =>
    text.replaceAll('{url}', base).replaceAll('{key}', key || 'YOUR_API_KEY')
  return providers.map(({ title, variables, code }) => {
    const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}`)
    return { name: title, text: filled([lines.join('\n'), code].filter((part) => part !== '').join('\n\n')) }
  })
}

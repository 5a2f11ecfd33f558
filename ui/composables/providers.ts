import { shallowRef } from 'vue'
import type { ProviderInfo } from '../../src/server/schema.ts'
import { useInstance } from './instance.ts'

/** The names of the providers whose APIs the instance has. They are asked for once. */
export function useProviders(): { titleOf(name: string): string } {
  const { api } = useInstance()
  asked ??= api.read<{ providers: ProviderInfo[] }>('dev/providers').then(
    (answer) => void (titles.value = new Map(answer.providers.map(({ name, title }) => [name, title]))),
    // Until the next time, their short names are shown.
    () => (asked = undefined),
  )
  return { titleOf: (name) => titles.value.get(name) ?? name }
}

const titles = shallowRef<ReadonlyMap<string, string>>(new Map())
let asked: Promise<void> | undefined

import { customRef, type Ref } from 'vue'
import { readStored, writeStored } from './stored.ts'

/** Light or dark, or as set in the system. */
export type Theme = 'system' | 'light' | 'dark'
export const themes: readonly Theme[] = ['system', 'light', 'dark']

/** The page's theme, the same for all who use it; a change applies at once and is kept for the next visit. */
export function useTheme(): Ref<Theme> {
  return shared
}

const shared = customRef<Theme>((track, trigger) => {
  let theme = storedTheme()
  const apply = (): void => void (document.documentElement.dataset['theme'] = theme)
  apply()
  return {
    get() {
      track()
      return theme
    },
    set(value) {
      theme = value
      apply()
      writeStored('theme', value === 'system' ? null : value)
      trigger()
    },
  }
})

function storedTheme(): Theme {
  const kept = readStored('theme')
  return themes.find((theme) => theme === kept) ?? 'system'
}

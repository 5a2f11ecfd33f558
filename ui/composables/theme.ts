import { ref, watch, type Ref } from 'vue'
import { readStored, writeStored } from './stored.ts'

/** Light or dark, or as set in the system. */
export type Theme = 'system' | 'light' | 'dark'
export const themes: readonly Theme[] = ['system', 'light', 'dark']

/** The page's theme; a change applies at once and is kept for the next visit. */
export function useTheme(): Ref<Theme> {
  const theme = ref<Theme>(storedTheme())
  watch(
    theme,
    (value) => {
      document.documentElement.dataset['theme'] = value
      writeStored('theme', value === 'system' ? null : value)
    },
    { immediate: true },
  )
  return theme
}

function storedTheme(): Theme {
  const kept = readStored('theme')
  return themes.find((theme) => theme === kept) ?? 'system'
}

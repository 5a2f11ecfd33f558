import { ref, watch, type Ref } from 'vue'

/** Light or dark by choice, or as the system has it. */
export type Theme = 'system' | 'light' | 'dark'
export const themes: readonly Theme[] = ['system', 'light', 'dark']

/** The page's theme; a change shows at once and is kept for the next visit. */
export function useTheme(): Ref<Theme> {
  const theme = ref<Theme>(storedTheme())
  watch(
    theme,
    (value) => {
      document.documentElement.dataset['theme'] = value
      keep(value)
    },
    { immediate: true },
  )
  return theme
}

const key = 'localpost.theme'

// Storage may be refused, in a private window say; then the choice lasts as long as the page.
function storedTheme(): Theme {
  try {
    const kept = localStorage.getItem(key)
    return themes.find((theme) => theme === kept) ?? 'system'
  } catch {
    return 'system'
  }
}

function keep(theme: Theme): void {
  try {
    if (theme === 'system') localStorage.removeItem(key)
    else localStorage.setItem(key, theme)
  } catch {
    return
  }
}

import {
  computed,
  inject,
  onScopeDispose,
  provide,
  ref,
  shallowReactive,
  type InjectionKey,
  type Ref,
} from 'vue'
import { readStored, writeStored } from './stored.ts'

/** The title of a command, and its keys. */
export interface CommandName {
  /** Unique on the page. */
  id: string
  /** As shown in the palette and the sheet of shortcuts. */
  words: string
  group: 'Mail' | 'Selection' | 'Inbox' | 'Go to' | 'Page'
  /** A key as the browser names it (`j`, `#`, `Escape`), or two after each other: `g i`. */
  keys?: string
}

/** A command: available in the palette by its words, and by its keys. */
export interface Command extends CommandName {
  /** Whether it is available; absent: always. Otherwise it is not in the palette, and its keys do nothing. */
  isOn?: () => boolean
  run(): void
}

export interface Commands {
  /** All registered commands, in order of registration. */
  list(): Command[]
  /** Registers commands until the scope ends. */
  add(commands: readonly Command[]): void
  /** Whether single keys are enabled: people who dictate, or type with one hand, may turn them off. */
  keysOn: Ref<boolean>
}

/** Makes the one set of commands of the page, for its root component, and listens for their keys. */
export function provideCommands(): Commands {
  const sets = shallowReactive(new Set<readonly Command[]>())
  const keysOn = useStoredSwitch('shortcuts')
  const list = (): Command[] => [...sets].flat().filter(({ isOn }) => isOn?.() ?? true)
  const commands: Commands = {
    list,
    keysOn,
    add(added) {
      sets.add(added)
      onScopeDispose(() => sets.delete(added))
    },
  }
  listenForKeys(list, keysOn)
  provide(key, commands)
  return commands
}

export function useCommands(): Commands {
  const commands = inject(key)
  if (!commands) throw new Error('There are no commands above this component.')
  return commands
}

const key: InjectionKey<Commands> = Symbol('commands')
const secondKeyMs = 1500

function listenForKeys(list: () => Command[], keysOn: Ref<boolean>): void {
  let first = ''
  let timer: ReturnType<typeof setTimeout> | undefined

  function onKey(event: KeyboardEvent): void {
    if (!keysOn.value && event.key !== 'Escape') return
    if (isOthers(event)) return
    const pressed = first ? `${first} ${event.key}` : event.key
    const all = list()
    const command = all.find(({ keys }) => keys === pressed) ?? all.find(({ keys }) => keys === event.key)
    clearTimeout(timer)
    first = ''
    if (command) {
      event.preventDefault()
      command.run()
    } else if (all.some(({ keys }) => keys?.startsWith(`${event.key} `))) {
      first = event.key
      timer = setTimeout(() => (first = ''), secondKeyMs)
    }
  }
  addEventListener('keydown', onKey)
  onScopeDispose(() => (removeEventListener('keydown', onKey), clearTimeout(timer)))
}

/** Whether a key belongs elsewhere: to typed text, the browser, or a dialog above the page. */
function isOthers(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing)
    return true
  // Only an open dialog counts: a closed one may still have the focus for a moment.
  const target = event.target instanceof Element ? event.target : null
  return Boolean(
    target?.closest('input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]') ||
    document.querySelector('dialog[open], :popover-open'),
  )
}

function useStoredSwitch(name: string): Ref<boolean> {
  const on = ref(readStored(name) !== 'off')
  return computed({
    get: () => on.value,
    set(value) {
      on.value = value
      writeStored(name, value ? 'on' : 'off')
    },
  })
}

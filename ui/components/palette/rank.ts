import type { Command } from '../../composables/commands.ts'

/** The commands that match the typed text, best first; without text all of them in their order. */
export function ranked(commands: readonly Command[], typed: string): Command[] {
  const wanted = typed.trim().toLowerCase()
  if (wanted === '') return [...commands]
  return commands
    .map((command) => ({
      command,
      score: scoreOf(`${command.words} ${command.group}`.toLowerCase(), wanted),
    }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ command }) => command)
}

/** 4 at the start, 3 at the start of a word, 2 anywhere, 1 as letters in their order, 0 not at all. */
function scoreOf(words: string, wanted: string): number {
  const at = words.indexOf(wanted)
  if (at === 0) return 4
  if (at > 0) return words[at - 1] === ' ' ? 3 : 2
  let from = 0
  for (const letter of wanted.replace(/\s+/g, '')) {
    from = words.indexOf(letter, from) + 1
    if (from === 0) return 0
  }
  return 1
}

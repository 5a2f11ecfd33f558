/** A flag of the command line. */
export interface Flag {
  /** As typed, without dashes: `smtp-port`. */
  name: string
  /** The one-letter form: `h`. */
  short?: string
  /** The placeholder of the value in help; a switch has none. */
  value?: string | undefined
  help: string
  /** The default value, as shown in help. */
  default?: string | undefined
  /** The heading in the help of the server command. */
  section?: string | undefined
  /** Whether only `--help all` of the server command lists it. */
  isRare?: boolean
}

/** A command of `localpost`, for the help and the parser. */
export interface Command {
  /** Empty for the command without a name, which starts the server. */
  name: string
  usage: readonly string[]
  /** One line, for the list of commands. */
  summary: string
  /** What it does, in paragraphs. */
  about: readonly string[]
  /** The options that the command accepts, by the names of their flags, with their help texts for this command. */
  options: Readonly<Record<string, string>> | 'all'
  /** Names of flags that only `--help all` lists. Default: none, and those of rare options for the server command. */
  rare?: readonly string[]
  /** Flags that set no option. */
  flags: readonly Flag[]
  /** Whether the command accepts arguments that are not flags. */
  takesWords: boolean
  /** Notes below the flags in the help. */
  notes: readonly string[]
  exitCodes: string
}

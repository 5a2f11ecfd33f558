#!/usr/bin/env node
import { type Arguments, findCommand, parseArguments } from './arguments.ts'
import { createJsonOutput, createOutput, type Output } from './output.ts'
import { describeError, exitCodeOf } from './error-text.ts'

/** The command `localpost`. Each command loads its own modules, so that every one starts fast. */
async function main(raw: readonly string[]): Promise<void> {
  let name = ''
  try {
    const { command, rest } = findCommand(raw)
    name = command.name
    const given = parseArguments(rest, command)
    const output = createOutput(false)
    if (given.help !== null) {
      const { renderHelp } = await import('./help.ts')
      output.log(renderHelp(command, given.help === 'all'))
    } else if (given.version) {
      const { version } = await import('../core/version.ts')
      output.log(version)
    } else if (name === '') {
      await start(given)
    } else {
      const run = await commands[name]?.()
      if (!run) throw new Error(`The command ${name} has no function`)
      process.exitCode = await run(given, output)
    }
  } catch (error) {
    const see = `See localpost ${name === '' ? '' : `${name} `}--help.`
    const isJson = name === '' && wantsJson(raw, process.env)
    const output = isJson ? createJsonOutput(true) : createOutput(true)
    output.error(describeError(error, { invalid_option: see }))
    process.exitCode = exitCodeOf(error)
  }
}

async function start(given: Arguments): Promise<void> {
  const { resolveSettings } = await import('./settings.ts')
  const settings = await resolveSettings(given, process.env, process.cwd())
  const { serve } = await import('./serve.ts')
  const { quiet, logFormat } = settings
  await serve(settings, logFormat === 'json' ? createJsonOutput(quiet) : createOutput(quiet))
}

/** Whether errors that are found before the options were read are JSON. */
function wantsJson(raw: readonly string[], variables: NodeJS.ProcessEnv): boolean {
  const at = raw.findLastIndex((word) => /^--log-format(?:=|$)/.test(word))
  const flag = raw[at]?.split('=')[1] ?? (at === -1 ? undefined : raw[at + 1])
  return (flag ?? variables['LOCALPOST_LOG_FORMAT']) === 'json'
}

type Run = (given: Arguments, output: Output) => Promise<0 | 1>

/** The commands by their names, but for the one that starts the server. */
const commands: Readonly<Record<string, () => Promise<Run>>> = {
  account: async () => (await import('./account.ts')).runAccount,
  ca: async () => (await import('./ca.ts')).runCa,
  check: async () => (await import('./check.ts')).runCheck,
  copy: async () => (await import('./copy.ts')).runCopy,
  doctor: async () => (await import('./doctor.ts')).runDoctor,
  export: async () => (await import('./export.ts')).runExport,
  import: async () => (await import('./import.ts')).runImport,
  mcp: async () => (await import('./mcp.ts')).runMcp,
  user: async () => (await import('./user.ts')).runUser,
  wait: async () => (await import('./wait.ts')).runWait,
}

void main(process.argv.slice(2))

#!/usr/bin/env node
import { type Arguments, findCommand, parseArguments } from './arguments.ts'
import { createJsonOutput, createOutput, type Output } from './output.ts'
import { describeError, exitCodeOf } from './report.ts'

void main(process.argv.slice(2))

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
    } else if (name === '') await start(given)
    else process.exitCode = await run(name, given, output)
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

async function run(name: string, given: Arguments, output: Output): Promise<0 | 1> {
  if (name === 'ca') return (await import('./ca.ts')).runCa(given, output)
  if (name === 'doctor') return (await import('./doctor.ts')).runDoctor(given, output)
  if (name === 'check') return (await import('./check.ts')).runCheck(given, output)
  if (name === 'copy') return (await import('./copy.ts')).runCopy(given, output)
  if (name === 'export') return (await import('./export.ts')).runExport(given, output)
  if (name === 'account') return (await import('./account.ts')).runAccount(given, output)
  if (name === 'mcp') return (await import('./mcp.ts')).runMcp(given, output)
  if (name === 'wait') return (await import('./wait.ts')).runWait(given, output)
  if (name === 'user') return (await import('./user.ts')).runUser(given, output)
  return (await import('./import.ts')).runImport(given, output)
}

#!/usr/bin/env node
import { parseArguments } from './arguments.ts'
import { createOutput } from './output.ts'
import { describeError, exitCodeOf } from './report.ts'

void main(process.argv.slice(2))

/** The command `localpost`: what it loads depends on what is asked, so that each answer comes soon. */
async function main(raw: readonly string[]): Promise<void> {
  try {
    if (raw[0] === 'doctor') {
      const { runDoctor } = await import('./doctor.ts')
      process.exitCode = await runDoctor(raw.slice(1), createOutput(false))
      return
    }
    if (raw[0] === 'export') {
      const { runExport } = await import('./export.ts')
      process.exitCode = await runExport(raw.slice(1), createOutput(false))
      return
    }
    if (raw[0] === 'import') {
      const { runImport } = await import('./import.ts')
      process.exitCode = await runImport(raw.slice(1), createOutput(false))
      return
    }
    const given = parseArguments(raw)
    if (given.help) {
      const { renderHelp } = await import('./help.ts')
      createOutput(false).log(await renderHelp())
      return
    }
    if (given.version) {
      const { version } = await import('../core/version.ts')
      createOutput(false).log(version)
      return
    }
    const { resolveSettings } = await import('./settings.ts')
    const settings = await resolveSettings(given, process.env, process.cwd())
    const { serve } = await import('./serve.ts')
    await serve(settings, createOutput(settings.quiet))
  } catch (error) {
    createOutput(true).error(describeError(error))
    process.exitCode = exitCodeOf(error)
  }
}

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseArguments } from '../../src/cli/arguments.ts'
import { serveCommand } from '../../src/cli/commands.ts'
import { renderHelp } from '../../src/cli/help.ts'
import { setOption } from '../../src/cli/option-flags.ts'
import { resolveSettings, type Settings } from '../../src/cli/settings.ts'
import { kinds } from '../../src/options/kinds.ts'
import { allRows, resolveOptions } from '../../src/options/options.ts'
import { listRows, type PlacedRow } from '../../src/options/read.ts'
import { variableOf } from '../../src/options/variables.ts'
import { temporaryFolder } from '../support/folder.ts'
import { samplesOf } from './_samples.ts'

const rows = listRows(allRows).map((placed): [string, PlacedRow] => [placed.path.join('.'), placed])
const libraryRows = rows.filter(([, { path }]) => !allRows[path[0] ?? '']?.command)
const valueRows = libraryRows.filter(([, { row }]) => row.kind !== 'group')
const flagRows = rows.filter(([, { row }]) => row.flag !== undefined)
// A file cannot hold functions.
const fileRows = rows.filter(([, { row }]) => !['group', 'noticeHandler', 'clock'].includes(row.kind))

/** Options with one value in its place. */
function optionsWith({ path }: PlacedRow, value: unknown): Record<string, unknown> {
  // Alone these are refused, as test/options/options.test.ts checks.
  const options: Record<string, unknown> = path[0] === 'relayAll' ? { relay: 'smtp://mail.test' } : {}
  if (path[0] === 'oidc' && path.length > 1 && value !== undefined)
    options['oidc'] = { issuer: 'https://login.test', clientId: 'a' }
  setOption(options, path, value)
  return options
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((group, name) => Reflect.get(Object(group), name), value)
}

interface Given {
  flags?: string[]
  variables?: Record<string, string>
  file?: unknown
}

function settle({ flags = [], variables = {}, file }: Given): Promise<Settings> {
  const cwd = temporaryFolder()
  if (file !== undefined) writeFileSync(join(cwd, 'localpost.config.json'), JSON.stringify(file))
  return resolveSettings(parseArguments(flags), variables, cwd)
}

/** The value that the settings have for an option, as an instance gets it. */
async function settledValue({ path }: PlacedRow, given: Given): Promise<unknown> {
  const settings = await settle(given)
  if (allRows[path[0] ?? '']?.command) return at(settings, path)
  return at(resolveOptions(settings.options), path)
}

/** The expected parts of the error for a value. */
function refusal({ row }: PlacedRow, source: string, value: unknown): unknown {
  return expect.objectContaining({
    code: 'invalid_option',
    message: expect.toSatisfy((message: string) => {
      const isQuoted = kinds[row.kind].isSecret
        ? !message.includes('hunter')
        : typeof value !== 'string' || message.includes(JSON.stringify(value))
      return message.includes(source) && isQuoted && /takes |must be |unknown members/.test(message)
    }, `${source} with what it takes`) as unknown,
  }) as unknown
}

describe('every option', () => {
  it.each(valueRows)('has a default: %s', (_, { path, row }) => {
    const derived = ['dns.feedbackHost', 'limits.smtpClientsPerAddress', 'clock']
    if (!derived.includes(path.join('.'))) expect(at(resolveOptions(), path)).toEqual(row.default)
    expect(at(resolveOptions(), path)).toBeDefined()
  })

  it.each(valueRows)('is accepted by the library: %s', (name, placed) => {
    const { right } = samplesOf(placed.row)
    const value = at(resolveOptions(optionsWith(placed, right)), placed.path)
    if (name === 'clock') expect(value).toHaveProperty('advance')
    else if (typeof right === 'object') expect(value).toMatchObject(right ?? {})
    else expect(value).toBe(right)
    const leftOut = at(resolveOptions(optionsWith(placed, undefined)), placed.path)
    expect(leftOut).toEqual(at(resolveOptions(), placed.path))
  })

  it.each(libraryRows)('is refused by the library with a wrong value: %s', (name, placed) => {
    for (const wrong of samplesOf(placed.row).wrong) {
      expect(() => resolveOptions(optionsWith(placed, wrong))).toThrow(refusal(placed, name, wrong))
    }
  })

  const plainFlags = flagRows.filter(([, { row }]) => row.kind !== 'file' && row.flag !== 'memory')
  it.each(plainFlags)('has the same value by flag, variable, file and library: %s', async (_, placed) => {
    const { right, typed = '' } = samplesOf(placed.row)
    const { flag = '', kind } = placed.row
    const relay = placed.path[0] === 'relayAll' ? ['--relay=smtp://mail.test'] : []
    if (placed.path.join('.') !== 'oidc.issuer') relay.push('--oidc-issuer=https://login.test')
    if (placed.path.join('.') !== 'oidc.clientId') relay.push('--oidc-client-id=a')
    const texts = kinds[kind].isList ? typed.split(',') : [typed]
    const flags = [...texts.map((text) => `--${flag}=${text}`), ...relay]
    expect(await settledValue(placed, { flags })).toEqual(right)
    expect(await settledValue(placed, { flags: relay, variables: { [variableOf(flag)]: typed } })).toEqual(
      right,
    )
    expect(await settledValue(placed, { file: optionsWith(placed, right) })).toEqual(right)
  })

  it.each(flagRows)('is refused as a flag and as a variable with a wrong value: %s', async (_, placed) => {
    const { flag = '' } = placed.row
    for (const wrong of samplesOf(placed.row).wrongTyped ?? []) {
      const variables = { [variableOf(flag)]: wrong }
      await expect(settle({ variables })).rejects.toEqual(refusal(placed, variableOf(flag), wrong))
      expect(() => parseArguments([`--${flag}=${wrong}`])).toThrow(refusal(placed, `--${flag}`, wrong))
    }
  })

  it.each(fileRows)(
    'is refused in a file with a wrong value, by the name of the file: %s',
    async (name, placed) => {
      for (const wrong of samplesOf(placed.row).wrong) {
        // Values that JSON cannot represent.
        if (typeof wrong === 'number' && !Number.isFinite(wrong)) continue
        const promise = settle({ file: optionsWith(placed, wrong) })
        await expect(promise).rejects.toEqual(refusal(placed, name, wrong))
        await expect(promise).rejects.toThrow(/^localpost\.config\.json: /)
      }
    },
  )

  it.each(rows)('is named in the error where it is misspelt: %s', (name, placed) => {
    const misspelt = { ...placed, path: [...placed.path.slice(0, -1), `${placed.path.at(-1)}x`] }
    const promise = settle({ file: optionsWith(misspelt, 1) })
    return expect(promise).rejects.toThrow(`Unknown option "${name}x". Did you mean "${name}"?`)
  })
})

describe('the texts about every option', () => {
  const help = renderHelp(serveCommand, true)
  const reference = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8')

  it.each(rows)('name it: %s', (name, { row }) => {
    if (row.flag !== undefined) expect(help).toMatch(new RegExp(`^ +--${row.flag}(?: <| {2}|$)`, 'm'))
    if (row.flag !== undefined) expect(reference).toContain(`\`${variableOf(row.flag)}\``)
    if (row.kind !== 'group') expect(reference).toContain(`\`${name}\``)
    // One line of help, without a full stop.
    expect(row.help).toMatch(/^[A-Z].*[^.]$/)
  })

  it('have no name of a flag twice', () => {
    const names = flagRows.map(([, { row }]) => row.flag)
    expect(new Set(names).size).toBe(names.length)
  })

  it('fit 100 columns', () => {
    expect(help.split('\n').filter((line) => line.length > 100)).toEqual([])
  })
})

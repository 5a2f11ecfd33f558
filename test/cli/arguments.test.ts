import { describe, expect, it } from 'vitest'
import { findCommand, flagsOf, parseArguments } from '../../src/cli/arguments.ts'
import { namedCommands, serveCommand } from '../../src/cli/commands.ts'
import { renderHelp } from '../../src/cli/help.ts'
import { suggest } from '../../src/core/suggest.ts'
import { optionFlags } from '../../src/cli/option-flags.ts'

describe('the command line', () => {
  it('reads every kind of flag, with = or a space', () => {
    const { options } = parseArguments([
      '--port=0',
      '--smtp-port',
      '2525',
      '--strict',
      '--smtp-auth',
      'required',
    ])
    expect(options).toEqual({ port: 0, smtpPort: 2525, strict: true, smtpAuth: 'required' })
  })

  it('collects a repeated flag', () => {
    const { options } = parseArguments(['--api-key', 'a', '--api-key=b', '--allow-host', 'post.test'])
    expect(options).toEqual({ apiKeys: ['a', 'b'], allowHosts: ['post.test'] })
  })

  it('uses the last value of a flag that is given twice', () => {
    expect(parseArguments(['--port', '1', '--port', '2']).options).toEqual({ port: 2 })
  })

  it('turns a switch off with --no- or =false', () => {
    expect(parseArguments(['--no-strict', '--relay-all=false']).options).toEqual({
      strict: false,
      relayAll: false,
    })
  })

  it('recognises -h and -v', () => {
    expect(parseArguments(['-h']).help).toBe('short')
    expect(parseArguments(['-v']).version).toBe(true)
  })

  it('accepts a value that begins with a dash after =', () => {
    expect(parseArguments(['--dir=-odd']).options).toEqual({ dir: '-odd' })
  })

  it.each([
    [['--prot', '1'], 'Unknown flag --prot. Did you mean --port?'],
    [['--smtpPort=1'], 'Unknown flag --smtpPort. Did you mean --smtp-port?'],
    [['--no-port'], 'Unknown flag --no-port.'],
    [['-x'], 'Unknown flag -x.'],
    [['--entirely-else'], 'Unknown flag --entirely-else.'],
    [['--strict', 'inbox'], 'Unexpected argument "inbox".'],
    [['--strict', 'export'], 'The command must come first: localpost export …'],
    [['--port'], '--port needs a value: --port=<port>.'],
    [['--port', '--quiet'], '--port needs a value: --port=<port>.'],
    [['--port='], '--port needs a value: --port=<port>.'],
    [['--port', 'abc'], '--port is "abc"; it takes a port from 0 to 65535 (0: any free port).'],
    [['--smtp-port=65536'], '--smtp-port is "65536"; it takes a port from 0 to 65535 (0: any free port).'],
    [['--port=0x10'], '--port is "0x10"; it takes a port from 0 to 65535 (0: any free port).'],
    [['--strict=perhaps'], '--strict is "perhaps"; it takes =true, =false or nothing.'],
    [['--smtp-auth=no'], '--smtp-auth is "no"; it takes optional or required.'],
    [['--durability=ram'], '--durability is "ram"; it takes process or disk.'],
    // Neither is quoted: they hold secrets.
    [['--relay=mail.test'], '--relay takes a URL such as smtp://user:password@host:587.'],
    [['--public-url=ftp://x'], '--public-url is "ftp://x"; it takes an http(s) URL.'],
    [['--api-key', 'a b'], '--api-key takes a key of printable ASCII without spaces.'],
  ])('refuses %j', (raw, message) => {
    expect(() => parseArguments(raw)).toThrow(expect.objectContaining({ code: 'invalid_option', message }))
  })
})

describe('a command', () => {
  it.each([
    [['exprot'], 'Unknown command "exprot". Did you mean "export"?'],
    [
      ['inbox'],
      'Unknown command "inbox". Commands: account, ca, check, copy, doctor, export, import, mcp, user, wait.',
    ],
    [['help', 'docter'], 'Unknown command "docter". Did you mean "doctor"?'],
    [['doctor', '--dri=x'], 'Unknown flag --dri. Did you mean --dir?'],
    [['doctor', 'data'], 'Unexpected argument "data": doctor takes flags only.'],
    [['doctor', '--json=perhaps'], '--json is "perhaps"; it takes =true, =false or nothing.'],
    [['export', '--too=x'], 'Unknown flag --too. Did you mean --to?'],
    [['export', '-subject:x'], 'Unknown flag -s. Put an argument that begins with a dash behind --.'],
    [['export', '--to'], '--to needs a value: --to=<file.zip or folder>.'],
    [['import', '--api-key', 'a b'], '--api-key takes a key of printable ASCII without spaces.'],
  ])('refuses %j', (raw, message) => {
    expect(() => {
      const { command, rest } = findCommand(raw)
      parseArguments(rest, command)
    }).toThrow(expect.objectContaining({ code: 'invalid_option', message }))
  })

  it.each(
    namedCommands.filter(({ takesWords }) => !takesWords).map((command) => [command.name, command] as const),
  )('%s names the flags it takes when it gets one of another command', (name, command) => {
    const taken = flagsOf(command).map((flag) => flag.name)
    const foreign = optionFlags.filter((flag) => !taken.includes(flag.name))
    expect(foreign).not.toEqual([])
    for (const flag of foreign) {
      const near = suggest(flag.name, taken)
      const message = near
        ? `Unknown flag --${flag.name}. Did you mean --${near}?`
        : `${name} does not take --${flag.name}. It takes ${taken.map((one) => `--${one}`).join(', ')}.`
      expect(() => parseArguments([`--${flag.name}=1`], command)).toThrow(
        expect.objectContaining({ code: 'invalid_option', message }),
      )
    }
  })

  it.each([[['help', 'doctor']], [['doctor', '-h']], [['doctor', '--json', '--help']]])(
    'is explained by %j',
    (raw) => {
      const { command, rest } = findCommand(raw)
      expect(command.name).toBe('doctor')
      expect(parseArguments(rest, command).help).toBe('short')
    },
  )

  it.each([
    ['', ['--help', 'all']],
    ['', ['--help=all']],
    ['', ['help', 'all']],
    ['check', ['check', '-h', 'all']],
    ['check', ['help', 'check', 'all']],
  ])('%s is explained in full by %j', (name, raw) => {
    const { command, rest } = findCommand(raw)
    expect(command.name).toBe(name)
    expect(parseArguments(rest, command).help).toBe('all')
  })

  it('lists ten options in its help, and in the full one all that its short one leaves out', () => {
    const listed = (text: string): number => text.match(/^ {2,6}(?:-\w, )?--[a-z]/gm)?.length ?? 0
    const short = renderHelp(serveCommand, false)
    // Besides --config, --help and --version.
    expect(listed(short)).toBe(10 + 3)
    expect(listed(renderHelp(serveCommand, true))).toBe(flagsOf(serveCommand).length)
    expect(short).toContain(`${flagsOf(serveCommand).length - 13} more options: localpost --help all`)
    for (const command of namedCommands) {
      const [first = '', all = ''] = [false, true].map((isWhole) => renderHelp(command, isWhole))
      expect(listed(all), command.name).toBe(flagsOf(command).length)
      expect(listed(first), command.name).toBeLessThanOrEqual(12)
      expect(first.includes(`more options: localpost ${command.name} --help all`)).toBe(first !== all)
    }
  })

  it('suggests the options that its short help leaves out', () => {
    expect(() => parseArguments(['--trust-prox=1'])).toThrow('Did you mean --trust-proxy?')
  })

  it('accepts words and its own flags', () => {
    const { command, rest } = findCommand(['export', 'tag:x', '--to', 'a.zip', '--', '-is:read'])
    expect(parseArguments(rest, command)).toMatchObject({
      words: ['tag:x', '-is:read'],
      flags: { to: 'a.zip' },
    })
  })
})

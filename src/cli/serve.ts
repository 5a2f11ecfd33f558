import { isIPv6 } from 'node:net'
import { isErrorOf } from '../core/errors.ts'
import { monotonicNow, setImmediate } from '../core/machine.ts'
import type { Localpost } from '../instance/instance.ts'
import { authorityOf } from '../net/hosts.ts'
import type { Notice } from '../options/notice.ts'
import { createActivityLines, type ActivityLines } from './activity.ts'
import { renderBanner } from './banner.ts'
import { startWarnings } from './start-warnings.ts'
import type { LogEvent } from './json-line.ts'
import type { Output } from './output.ts'
import { collectEarly, giveMemoryBack } from './quiet-memory.ts'
import { describeError, exitCodeOf } from './error-text.ts'
import type { Settings } from './settings.ts'
import { leave, stopOnSignals } from './stop.ts'
import { visible } from './visible.ts'
import type { Store } from '../store/store.ts'
import { version } from '../core/version.ts'

/**
 * Runs Localpost until a signal. It opens SMTP, then the HTTP listener, then prints the banner. An error of the start
 * is printed. The exit code is then 2 if an option is wrong, else 1.
 */
export async function serve(settings: Settings, output: Output): Promise<void> {
  let starting: Promise<Localpost | undefined> | undefined
  let store: Pick<Store, 'refusal'> | undefined
  const activity = createActivityLines(output)
  const close = async (): Promise<void> => {
    await (await starting)?.close()
    activity.end()
  }
  stopOnSignals({ output, farewell: () => farewellOf(settings, store), close })
  starting = start(settings, output, activity, (opened) => (store = opened))
  const post = await starting
  if (!post) return
  giveMemoryBack()
  if (output.isJson)
    output.log(`Localpost ${version} runs at ${post.url ?? ''}.`, startedEvent(post, settings))
  else output.log(renderBanner(post, settings, version))
  for (const warning of startWarnings(settings)) output.warn(warning)
  activity.begin(settings.options.publicUrl ?? post.url ?? '')
  // smtp-server checks the address of each client with this pattern, which Node compiles at its first use in some milliseconds.
  setImmediate(() => isIPv6(''))
}

/** The last line of a server that stops: whether its mail is saved. */
function farewellOf({ options }: Settings, store: Pick<Store, 'refusal'> | undefined): string {
  if (options.dir === undefined && options.store === undefined) return 'Stopped. The mail was in memory only.'
  const refusal = store?.refusal()
  // On a full disk, only new mail was refused.
  if (refusal?.code !== 'store_read_only') return 'Stopped. All acknowledged mail is saved.'
  const place = options.dir === undefined ? 'database' : 'data folder'
  return `Stopped. Nothing more could be written to the ${place}: ${refusal.message}`
}

async function start(
  settings: Settings,
  output: Output,
  activity: Pick<ActivityLines, 'add'>,
  onStore: (store: Pick<Store, 'refusal'>) => void,
): Promise<Localpost | undefined> {
  let flag = 'smtp-port'
  let post: Localpost | undefined
  try {
    const { openLocalpost } = await import('../instance/open.ts')
    const options = { onNotice: (notice: Notice) => tell(notice, output), ...settings.options }
    // Links in tracked mail lead to the listener, whose port is known once it is open.
    post = await openLocalpost(options, {
      deliversFrom: 'listen',
      onStore,
      onCertificate: (use) => reloadOnHangUp(settings, output, use),
      onLongWork: collectEarly,
      spans: 'none',
      ...(showsActivity(settings) && { onActivity: activity.add }),
    })
    flag = 'port'
    await post.listen({ port: settings.port, host: settings.options.host })
    return post
  } catch (error) {
    // The errors of a database already contain advice.
    const hasDatabase = settings.options.store !== undefined
    const ofStore = hasDatabase && { store_in_use: '', store_full: '', store_read_only: '' }
    const running = isErrorOf(error, 'port_in_use')
      ? // It loads `fetch`.
        await (await import('./running.ts')).runningPage(settings.options.host, settings.port)
      : null
    const where = running === null ? '' : `Localpost already runs at ${running}. `
    const port_in_use = `${where}Choose another with --${flag}=<port>; 0 takes a free port.`
    output.error(describeError(error, { ...ofStore, port_in_use }))
    await post?.close()
    leave(exitCodeOf(error))
    return undefined
  }
}

/** On Windows a write to a pipe waits until it is read: a program that starts the command and reads nothing would stop it. */
function showsActivity({ quiet }: Settings): boolean {
  return !quiet && (process.platform !== 'win32' || process.stdout.isTTY)
}

/** Reads the certificate again on SIGHUP. An invalid one changes nothing. */
function reloadOnHangUp(
  { readCertificate }: Settings,
  output: Output,
  use: (certificate: { key: string; cert: string }) => void,
): void {
  if (!readCertificate) return
  process.on('SIGHUP', () => {
    void readCertificate().then(
      ({ certificate, warnings }) => {
        use(certificate)
        for (const warning of warnings) output.warn(warning)
        output.log('The certificate was read again (SIGHUP); new connections use it.', {
          what: 'certificate.read',
        })
      },
      (error: unknown) => output.error(`The certificate stays as it was. ${describeError(error)}`),
    )
  })
}

/** The start, for programs. The key is left out: more people may read a log than may use the server. */
function startedEvent({ url, smtp, smtps }: Localpost, { options }: Settings): LogEvent {
  return {
    what: 'started',
    version,
    url,
    smtp: authorityOf(smtp.host, smtp.port),
    smtps: smtps ? authorityOf(smtps.host, smtps.port) : undefined,
    store: storeKindOf(options),
    pid: process.pid,
    duration_ms: monotonicNow(),
  }
}

function storeKindOf({ store, dir }: Settings['options']): 'postgresql' | 'folder' | 'memory' {
  if (store !== undefined) return 'postgresql'
  return dir === undefined ? 'memory' : 'folder'
}

function tell({ level, message, error }: Notice, output: Output): void {
  const text = visible(error instanceof Error ? `${message} (${error.message})` : message)
  if (level === 'error') output.error(text)
  else output.warn(text)
}

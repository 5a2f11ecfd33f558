import { isErrorOf } from '../core/errors.ts'
import type { Config } from '../options/options.ts'
import type { PartitionedStore } from '../store/partitioned-store.ts'
import type { OpenAccount } from './account.ts'
import type { RunningAccounts } from './accounts.ts'
import { reportErrors } from './notices.ts'

/** Begins what is due in all accounts, now and whenever this instance becomes the leader or another one stores something. */
export function beginWork(
  main: OpenAccount,
  accounts: RunningAccounts,
  opened: PartitionedStore,
  config: Config,
): void {
  const report = reportErrors(config, 'Not all accounts could be opened; they are opened when they are used.')
  const wakeMain = (): void => {
    main.wakeOutbox()
    main.webhooks.wake()
  }
  const begin = (): void => {
    wakeMain()
    accounts.start().catch((error: unknown) => {
      if (!isErrorOf(error, 'closed')) report(error)
    })
  }
  begin()
  opened.leadership.onMine(begin)
  opened.onForeignChange((partition) => {
    if (!opened.leadership.isMine()) return
    if (partition === '') wakeMain()
    else accounts.wake(partition)
  })
}

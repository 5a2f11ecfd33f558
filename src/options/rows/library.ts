import type { Notice } from '../notice.ts'

/** Options for tests, which only the library has. */
export const libraryRows = {
  /**
   * Time limit of waits, matchers and assertions, in milliseconds, unless they are given their own. Default: 3,000,
   * less than the 5,000 of the test frameworks, which would otherwise end the test before it can report what is
   * missing.
   */
  waitTimeoutMs: { kind: 'ms', default: 3000, help: 'Time limit of waits, matchers and assertions' },
  /**
   * Called with operational warnings and errors, such as a repaired log or the cause of a 500, and with the warnings of
   * the library's sends, each text once. Default: nothing is called.
   */
  onNotice: {
    kind: 'noticeHandler',
    default: (_notice: Notice): void => {},
    help: 'Called with operational warnings and errors',
  },
  /**
   * Whether open ports keep the process alive. With false, the process may end although the instance was not closed.
   * Default: true; false in the process of a test (vitest, Jest, node:test, or one that imported `localpost/testing`).
   */
  keepAlive: { kind: 'switch', default: true, help: 'Keep the process alive while ports are open' },
  /**
   * The clock, for tests: the time of `fixedClock('2026-01-01T00:00:00Z')` changes only with
   * `post.clock.advance('72h')`. Waits for mail and for servers always use the machine's clock. Default: the machine's
   * clock.
   */
  clock: { kind: 'clock', default: null, help: 'The clock, for tests' },
  /**
   * Makes random values repeatable, for tests: the same seed, a fixed clock and the same calls give the same ids, keys,
   * secrets and random choices. Anyone who knows the seed knows the secrets. DKIM keys always differ. Default: none.
   */
  seed: { kind: 'seed', default: null, help: 'Make random values repeatable, for tests' },
} as const

/** How emails are sent, and what happens to them. */
export const sendingRows = {
  /** Treats warnings as errors, such as a From domain that is not registered. Default: false. */
  strict: {
    kind: 'switch',
    default: false,
    flag: 'strict',
    help: 'Treat warnings as errors, such as a From domain that was not created',
  },
  /** Escapes `& < > "` in variables that go into `html`. Default: false. */
  escapeHtml: { kind: 'switch', default: false, help: 'Escape & < > " in variables that go into html' },
  /**
   * Which recipients are added to the suppression list, whose addresses get no mail: none; `bounces`: those of permanent
   * bounces; `all`: also those who complain. Addresses that are added by hand count in any case. Default: `off`.
   */
  suppress: {
    kind: 'choice',
    values: ['off', 'bounces', 'all'],
    default: 'off',
    flag: 'suppress',
    help: 'Add recipients to the suppression list: none (off), after permanent bounces, or also complaints (all)',
  },
  /** Number of items per page in every list. Default: 50. */
  pageSize: { kind: 'count', max: 500, default: 50, help: 'Number of items per page in every list' },
  /** The account that `created_by` names. */
  account: {
    kind: 'group',
    help: 'The account that created_by names',
    // In snake_case, as `created_by` has them.
    members: {
      /** Address of the account. Default: `dev@localpost.test`. */
      email: {
        kind: 'text',
        takes: 'an address',
        default: 'dev@localpost.test',
        help: 'Address of the account in created_by',
      },
      /** First name of the account. Default: null. */
      first_name: { kind: 'nameOrNull', default: null, help: 'First name of the account in created_by' },
      /** Last name of the account. Default: null. */
      last_name: { kind: 'nameOrNull', default: null, help: 'Last name of the account in created_by' },
      /** URL of a picture of the account. Default: a `data:` URL, so that nothing is fetched. */
      profile_picture: {
        kind: 'text',
        takes: 'a URL',
        // A grey disc.
        default:
          'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 8 8%22%3E%3Ccircle cx=%224%22 cy=%224%22 r=%224%22 fill=%22%23889%22/%3E%3C/svg%3E',
        help: 'URL of a picture of the account in created_by',
      },
    },
  },
  /** Where attachments given by `path` may come from. */
  attachments: {
    kind: 'group',
    help: 'Where attachments given by path may come from',
    members: {
      /** Folder whose files may be attached by path. Default: none. */
      root: { kind: 'folder', default: null, help: 'Folder whose files may be attached by path' },
      /** Allows attachment URLs in private networks, if only this machine reaches the instance. Default: false. */
      allowPrivate: { kind: 'switch', default: false, help: 'Allow attachment URLs in private networks' },
      /**
       * Time limit for fetching one attachment, in milliseconds; all attachments of an email together have six times
       * that. Default: 10,000.
       */
      timeoutMs: { kind: 'ms', default: 10_000, help: 'Time limit of one attachment fetch' },
    },
  },
  /** Waits before a delivery that failed temporarily is retried, in milliseconds. Default: `[1000, 2000, 4000]`. */
  retryDelaysMs: {
    kind: 'delays',
    default: [1000, 2000, 4000],
    help: 'Waits before a delivery that failed temporarily is retried',
  },
  /**
   * Rules that decide what happens to recipients; see {@link Rules}. They replace the stored rules at every start.
   * Default: the stored rules.
   */
  rules: {
    kind: 'rules',
    default: null,
    help: 'Rules that decide what happens to recipients; they replace the stored ones',
  },
  /**
   * Webhooks for the events of emails and domains, in addition to the stored ones. Without a secret, a new one is
   * created at each start. Default: none.
   */
  webhooks: { kind: 'webhooks', default: [], help: 'Webhooks, in addition to the stored ones' },
  /**
   * Waits before an event that a webhook did not accept is sent again, in milliseconds. After the last attempt the
   * delivery has failed. Default: `[1000, 5000, 30000, 120000, 600000]`.
   */
  webhookRetryDelaysMs: {
    kind: 'delays',
    default: [1000, 5000, 30_000, 120_000, 600_000],
    help: 'Waits before an event that a webhook did not accept is sent again',
  },
} as const

/** Output, links and limits. */
export const generalRows = {
  /**
   * The page of a trace, to which the inbox page links a mail: `http://localhost:16686/trace/{trace_id}`, with
   * `{trace_id}` where the id belongs. Default: none, the id is shown without a link.
   */
  traceUrl: {
    kind: 'urlTemplate',
    default: null,
    flag: 'trace-url',
    hint: 'url',
    help: 'Page of a trace, to which mails link: http://localhost:16686/trace/{trace_id}',
  },
  /** Prints only warnings and errors, no banner and no line for each mail and refusal. Default: false. */
  quiet: {
    kind: 'switch',
    default: false,
    command: true,
    flag: 'quiet',
    help: 'Print only warnings and errors, no line for each mail and refusal',
  },
  /**
   * `text` for people, or `json`: one JSON object a line on standard output for all that the server prints, warnings and
   * errors too. Default: `text`.
   */
  logFormat: {
    kind: 'choice',
    values: ['text', 'json'],
    default: 'text',
    command: true,
    flag: 'log-format',
    help: 'Print lines for people, or one JSON object a line on standard output',
  },
  /** Limits of load. Beyond them clients are told to retry; acknowledged mail is never affected. */
  limits: {
    kind: 'group',
    help: 'Limits of load; beyond them clients are told to retry',
    members: {
      /**
       * Maximum number of SMTP connections. A new one replaces a client that sent nothing useful for two seconds; if there is
       * none, it is refused with 421 4.7.0. Default: 500.
       */
      smtpClients: { kind: 'count', default: 500, help: 'Maximum number of SMTP connections' },
      /**
       * Maximum number of SMTP connections from one address. All of loopback counts as one address, and so does an IPv6
       * /64 network. Default: nine tenths of `smtpClients`.
       */
      smtpClientsPerAddress: {
        kind: 'count',
        default: null,
        help: 'Maximum number of SMTP connections from one address',
      },
      /**
       * Maximum bytes of incoming messages in memory. Beyond, messages are written to the data folder or the database while
       * they arrive. No effect without `dir` or `store`. Default: 33,554,432 (32 MiB).
       */
      smtpBytes: { kind: 'count', default: 33_554_432, help: 'Maximum bytes of incoming messages in memory' },
      /**
       * Maximum bytes of HTTP request bodies in memory. Beyond, bodies over 1 MiB wait up to 30 seconds, and others are
       * answered 503. Default: 67,108,864 (64 MiB).
       */
      requestBytes: {
        kind: 'count',
        default: 67_108_864,
        help: 'Maximum bytes of HTTP request bodies in memory',
      },
      /**
       * Maximum bytes waiting to be stored; beyond, new mail is refused with 452 4.3.1 or 503. Default: 67,108,864 (64 MiB).
       */
      pendingBytes: { kind: 'count', default: 67_108_864, help: 'Maximum bytes waiting to be stored' },
    },
  },
} as const

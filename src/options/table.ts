import type { Notice } from './notice.ts'

/**
 * The single definition of every option. Its row defines the type, the default and the check in the library and in
 * configuration files, the flag, the LOCALPOST_* variable, `--help` and docs/cli.md. Editors show the comment of a row.
 *
 * Rows are plain literals, so that the types of the package keep the comments. `kind` (see kinds.ts) defines the valid
 * values; `command: true` marks options that only the command has, not the library.
 */
export const optionTable = {
  /** HTTP port of the page and the API; 0 takes a free port. Default: 8025. */
  port: {
    kind: 'port',
    default: 8025,
    command: true,
    flag: 'port',
    often: true,
    section: 'Server',
    help: 'HTTP port of the page and the API; 0 takes a free port',
  },
  /** SMTP port; 0 takes a free port. Default: 0 (the command: 1025). */
  smtpPort: {
    kind: 'port',
    default: 0,
    commandDefault: 1025,
    flag: 'smtp-port',
    often: true,
    section: 'Server',
    help: 'SMTP port; 0 takes a free port',
  },
  /** Address that the SMTP port binds; `listen` binds it too, unless it is given another. Default: `127.0.0.1`. */
  host: {
    kind: 'text',
    takes: 'an address such as 127.0.0.1',
    default: '127.0.0.1',
    commandDefault: '127.0.0.1',
    flag: 'host',
    often: true,
    hint: 'address',
    section: 'Server',
    help: 'Address to bind; 0.0.0.0 lets other machines connect',
  },
  /**
   * Host names that HTTP requests may use, beside loopback names and the bound address. Requests under these names
   * need an API key at `/dev`. Default: none.
   */
  allowHosts: {
    kind: 'texts',
    takes: 'an array of host names',
    each: 'a host name',
    default: [],
    flag: 'allow-host',
    hint: 'name',
    section: 'Server',
    help: 'Host name to serve, in addition to localhost; repeatable',
  },
  /**
   * Base URL of tracking links, so that other devices can open them: `http://192.168.1.20:8025`. OpenID providers
   * redirect browsers to it. Its host is allowed as if `allowHosts` named it. Default: the URL of the listener.
   */
  publicUrl: {
    kind: 'url',
    default: null,
    flag: 'public-url',
    hint: 'url',
    section: 'Server',
    help: 'Base URL of tracking links, so that other devices can open them',
  },
  /**
   * Serves the page and the API over HTTPS, and uses the same certificate for SMTP: `{ key, cert }`, a private key and
   * its certificate in PEM, followed by the chain. Default: none, plain HTTP.
   */
  tls: {
    kind: 'certificate',
    default: null,
    help: 'Private key and certificate for HTTPS and SMTP',
  },
  /** A file with the certificate for HTTPS and SMTP in PEM, followed by the chain. Default: none. */
  tlsCert: {
    kind: 'file',
    takes: 'the path of a file with a certificate in PEM',
    default: null,
    command: true,
    flag: 'tls-cert',
    hint: 'file',
    section: 'Server',
    help: 'Certificate for HTTPS and SMTP in PEM, read again on SIGHUP; needs --tls-key',
  },
  /** A file with the private key of `tlsCert` in PEM. Default: none. */
  tlsKey: {
    kind: 'file',
    takes: 'the path of a file with a private key in PEM',
    default: null,
    command: true,
    flag: 'tls-key',
    hint: 'file',
    section: 'Server',
    help: 'Private key of the certificate in PEM',
  },
  /**
   * Addresses of reverse proxies, such as `10.1.0.0/16` or `127.0.0.1`. `X-Forwarded-For` and `X-Forwarded-Proto` are
   * trusted only from these. A forwarded request is never local. Default: none.
   */
  trustProxy: {
    kind: 'ranges',
    default: [],
    flag: 'trust-proxy',
    hint: 'cidr',
    section: 'Server',
    help: 'Address or range of a reverse proxy whose X-Forwarded-For and X-Forwarded-Proto are trusted; repeatable',
  },
  /** Data folder; it is created if it does not exist. Default: none, everything stays in memory. */
  dir: {
    kind: 'folder',
    default: null,
    commandDefault: './.localpost',
    flag: 'dir',
    often: true,
    hint: 'folder',
    section: 'Data',
    help: 'Data folder; created if it does not exist',
  },
  /**
   * A PostgreSQL database (version 13 or later) that holds all data instead of a data folder:
   * `postgres://user:password@host:5432/database`, with `?schema=name` for another schema than `localpost`. Several
   * instances may use the same schema. Needs the package `pg`. Default: none.
   */
  store: {
    kind: 'store',
    default: null,
    flag: 'store',
    hint: 'url',
    section: 'Data',
    help: 'PostgreSQL database instead of a data folder: postgres://user:password@host/database',
  },
  /** Keeps everything in memory instead of a data folder. Default: false. */
  memory: {
    kind: 'switch',
    default: false,
    command: true,
    flag: 'memory',
    often: true,
    section: 'Data',
    help: 'Keep everything in memory, without a data folder',
  },
  /**
   * `process`: acknowledged mail survives the end of the process. `disk`: it also survives a power cut, because each
   * acknowledgement waits for fdatasync. No effect without `dir`. Default: `process`.
   */
  durability: {
    kind: 'choice',
    values: ['process', 'disk'],
    default: 'process',
    flag: 'durability',
    section: 'Data',
    help: 'Acknowledged mail survives a killed process (process) or also a power cut (disk)',
  },
  /**
   * Maximum number of emails to keep. The oldest are deleted first, shortly after new mail arrives; emails that are
   * still being sent are kept. Default: no limit.
   */
  maxEmails: {
    kind: 'count',
    default: null,
    flag: 'max-emails',
    often: true,
    hint: 'n',
    section: 'Data',
    help: 'Maximum number of emails to keep; the oldest are deleted first',
  },
  /**
   * Maximum age of emails in milliseconds; older ones are deleted, unless they are still being sent. Default: no limit.
   */
  maxAgeMs: {
    kind: 'ms',
    min: 1,
    default: null,
    flag: 'max-age',
    hint: 'duration',
    section: 'Data',
    help: 'Delete emails older than this, such as 7d, 12h or 90m',
  },

  /** API keys. Default: one is created at the first start and stored with the data. */
  apiKeys: {
    kind: 'keys',
    default: [],
    flag: 'api-key',
    often: true,
    hint: 'key',
    section: 'Access',
    help: 'API key; repeatable (default: one is created at the first start)',
  },
  /** A file with API keys, one per line; they are added to `apiKeys`. Default: none. */
  apiKeyFile: {
    kind: 'file',
    takes: 'the path of a file with API keys, one per line',
    default: null,
    command: true,
    flag: 'api-key-file',
    hint: 'file',
    section: 'Access',
    help: 'File with API keys, one per line; keeps them out of the process list',
  },
  /** Accepts any non-empty API key. Default: false. */
  acceptAnyKey: {
    kind: 'switch',
    default: false,
    flag: 'accept-any-key',
    section: 'Access',
    help: 'Accept any non-empty API key',
  },
  /**
   * A file of users who may sign in to the page; `localpost user add` writes it. It is read again when it changes.
   * Default: none.
   */
  users: {
    kind: 'file',
    takes: 'the path of a file of users',
    default: null,
    flag: 'users',
    hint: 'file',
    section: 'Access',
    help: 'File of users who may sign in to the page; localpost user add writes it',
  },
  /**
   * Sign-in to the page with an OpenID provider such as Keycloak, Entra ID or Google. Off without `issuer`, which needs
   * `clientId`. The redirect URI is `<publicUrl>/dev/oidc/callback`.
   */
  oidc: {
    kind: 'group',
    help: 'Sign-in to the page with an OpenID provider',
    members: {
      /** URL of the provider, exactly as its discovery document names it. Default: none. */
      issuer: {
        kind: 'issuer',
        default: null,
        flag: 'oidc-issuer',
        hint: 'url',
        section: 'Access',
        help: 'URL of an OpenID provider whose users may sign in to the page; needs --oidc-client-id',
      },
      /** The id that the provider knows this instance by. Default: none. */
      clientId: {
        kind: 'text',
        takes: 'the id of the client at the provider',
        default: null,
        flag: 'oidc-client-id',
        hint: 'id',
        section: 'Access',
        help: 'Id of this instance at the OpenID provider',
      },
      /** The secret that belongs to `clientId`. Default: none, a public client. */
      clientSecret: {
        kind: 'secret',
        default: null,
        flag: 'oidc-client-secret',
        hint: 'secret',
        section: 'Access',
        help: 'Secret of this instance at the OpenID provider (default: none, a public client)',
      },
      /**
       * The scopes to request in addition to `openid`, separated by spaces. Some providers list groups only with a
       * scope such as `groups`. Default: `profile email`.
       */
      scope: {
        kind: 'text',
        takes: 'scopes separated by spaces',
        default: 'profile email',
        flag: 'oidc-scope',
        hint: 'scopes',
        section: 'Access',
        help: 'Scopes to request from the OpenID provider in addition to openid, separated by spaces',
      },
      /**
       * The claim that decides who may sign in, and with which role. A dot separates the names of nested members:
       * `realm_access.roles`. `email` counts only if the provider says that the address is verified. Default: `roles`.
       */
      roleClaim: {
        kind: 'text',
        takes: 'the name of a claim',
        default: 'roles',
        flag: 'oidc-role-claim',
        hint: 'claim',
        section: 'Access',
        help: 'Claim that decides the role of a user, such as roles, groups or realm_access.roles',
      },
      /** Values of `roleClaim` that make an admin. Default: `localpost-admin`. */
      adminValues: {
        kind: 'texts',
        default: ['localpost-admin'],
        flag: 'oidc-admin-value',
        hint: 'value',
        section: 'Access',
        help: 'Value of the role claim that makes an admin; repeatable (default: localpost-admin)',
      },
      /** Values of `roleClaim` that make a member. Default: `localpost-member`. */
      memberValues: {
        kind: 'texts',
        default: ['localpost-member'],
        flag: 'oidc-member-value',
        hint: 'value',
        section: 'Access',
        help: 'Value of the role claim that makes a member; repeatable (default: localpost-member)',
      },
      /** The claim with the names of the accounts that a member may see. Default: none, members see `default`. */
      accountsClaim: {
        kind: 'text',
        takes: 'the name of a claim',
        default: null,
        flag: 'oidc-accounts-claim',
        hint: 'claim',
        section: 'Access',
        help: 'Claim with the accounts that a member may see (default: none, members see the account default)',
      },
    },
  },
  /** A file with `oidc.clientSecret`. Default: none. */
  oidcClientSecretFile: {
    kind: 'file',
    takes: 'the path of a file with a secret',
    default: null,
    command: true,
    flag: 'oidc-client-secret-file',
    hint: 'file',
    section: 'Access',
    help: 'File with the secret of this instance at the OpenID provider',
  },
  /** Requires an API key at `/dev` on loopback and in process too, as for requests from elsewhere. Default: false. */
  requireKey: {
    kind: 'switch',
    default: false,
    flag: 'require-key',
    section: 'Access',
    help: 'Require an API key for the page and /dev on this machine too',
  },
  /** Refuses requests to `/v1` and to the APIs of providers over this number per period with 429. Default: no limit. */
  rateLimit: {
    kind: 'rateLimit',
    default: null,
    help: 'Refuse requests to /v1 and the APIs of providers over a number per period with 429',
  },

  /**
   * `required` refuses mail without AUTH PLAIN or LOGIN; the password is an API key. Default: `optional`.
   */
  smtpAuth: {
    kind: 'choice',
    values: ['optional', 'required'],
    default: 'optional',
    flag: 'smtp-auth',
    often: true,
    section: 'SMTP',
    help: 'Whether SMTP clients must log in; the password is an API key',
  },
  /**
   * SMTP port with implicit TLS (`smtps://`); 0 takes a free port. It uses the certificate of `smtpTls` or `tls`, else
   * one that Localpost makes; `smtps.tls.ca` is then the CA to trust. Default: none.
   */
  smtpsPort: {
    kind: 'port',
    default: null,
    flag: 'smtps-port',
    section: 'SMTP',
    help: 'SMTP port with implicit TLS; 0 takes a free port (default: none)',
  },
  /**
   * Offers STARTTLS: true with a certificate that Localpost makes (`smtp.tls.ca` is then the CA to trust), `{ key, cert }`
   * with your own in PEM. Default: false, or the certificate of `tls`.
   */
  smtpTls: {
    kind: 'tls',
    default: false,
    flag: 'smtp-tls',
    often: true,
    section: 'SMTP',
    help: 'Offer STARTTLS with a certificate that Localpost makes; localpost ca prints the file to trust',
  },
  /**
   * Refuses recipients over SMTP that a rule or the simulator rejects, instead of accepting the mail and recording a
   * bounce. Default: false.
   */
  rejectSubmissions: {
    kind: 'switch',
    default: false,
    flag: 'reject-submissions',
    section: 'SMTP',
    help: 'Refuse recipients over SMTP that a rule rejects, instead of accepting the mail and recording a bounce',
  },
  /** Host name in the SMTP greeting and in EHLO. Default: `localhost`. */
  hostname: {
    kind: 'hostname',
    default: 'localhost',
    help: 'Host name in the SMTP greeting and in EHLO',
  },

  /** Treats warnings as errors, such as a From domain that is not registered. Default: false. */
  strict: {
    kind: 'switch',
    default: false,
    flag: 'strict',
    section: 'Sending',
    help: 'Treat warnings as errors, such as a From domain that was not created',
  },
  /** Escapes `& < > "` in variables that go into `html`. Default: false. */
  escapeHtml: {
    kind: 'switch',
    default: false,
    help: 'Escape & < > " in variables that go into html',
  },
  /**
   * Which recipients are added to the suppression list, whose addresses get no mail: none; `bounces`: those of permanent
   * bounces; `all`: also those who complain. Addresses that are added by hand count in any case. Default: `off`.
   */
  suppress: {
    kind: 'choice',
    values: ['off', 'bounces', 'all'],
    default: 'off',
    flag: 'suppress',
    section: 'Sending',
    help: 'Add recipients to the suppression list: none (off), after permanent bounces, or also complaints (all)',
  },
  /** Number of items per page in every list. Default: 50. */
  pageSize: {
    kind: 'count',
    max: 500,
    default: 50,
    help: 'Number of items per page in every list',
  },
  /** The account that `created_by` names. */
  account: {
    kind: 'group',
    help: 'The account that created_by names',
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
      /**
       * Allows attachment URLs in private networks, if only this machine reaches the instance. Default: false.
       */
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
  webhooks: {
    kind: 'webhooks',
    default: [],
    help: 'Webhooks, in addition to the stored ones',
  },
  /**
   * Waits before an event that a webhook did not accept is sent again, in milliseconds. After the last attempt the
   * delivery has failed. Default: `[1000, 5000, 30000, 120000, 600000]`.
   */
  webhookRetryDelaysMs: {
    kind: 'delays',
    default: [1000, 5000, 30_000, 120_000, 600_000],
    help: 'Waits before an event that a webhook did not accept is sent again',
  },

  /** DNS servers, and the values of the DNS records of new domains. */
  dns: {
    kind: 'group',
    help: 'DNS servers, and the values of the DNS records of new domains',
    members: {
      /** DNS servers that domains are verified with: `127.0.0.1:5300`. Default: those of the machine. */
      servers: {
        kind: 'texts',
        takes: 'an array of addresses such as "127.0.0.1:5300"',
        each: 'an address such as 127.0.0.1:5300',
        default: null,
        flag: 'dns',
        hint: 'address',
        formerly: 'dnsServers',
        section: 'Domains',
        help: 'DNS server to verify domains with; repeatable',
      },
      /** Region in the MAIL FROM host. Default: `us-east-1`. */
      region: {
        kind: 'text',
        takes: 'a region such as "us-east-1"',
        default: 'us-east-1',
        help: 'Region in the MAIL FROM host of a new domain',
      },
      /** Value of the MX record. Default: `feedback-smtp.<region>.amazonses.com`. */
      feedbackHost: {
        kind: 'text',
        takes: 'a host name',
        default: null,
        help: 'Value of the MX record of a new domain',
      },
      /** Host in the SPF record. Default: `amazonses.com`. */
      spfInclude: {
        kind: 'text',
        takes: 'a host name',
        default: 'amazonses.com',
        help: 'Host in the SPF record of a new domain',
      },
      /** DKIM selector: the first label of the record's name. Default: `localpost`. */
      selector: {
        kind: 'label',
        default: 'localpost',
        help: 'DKIM selector: the first label of the name of the DKIM record',
      },
    },
  },
  /**
   * How often domains whose verification was started are looked up in DNS, in milliseconds. The result replaces a status
   * that was declared by hand. Default: never.
   */
  verifyIntervalMs: {
    kind: 'ms',
    min: 1,
    default: null,
    flag: 'verify-interval',
    hint: 'duration',
    section: 'Domains',
    help: 'How often to look domains up in DNS, such as 5m or 1h (default: never)',
  },

  /** URL of a real mail server (`smtp://` or `smtps://`) for releasing captured mail. Default: none. */
  relay: {
    kind: 'relay',
    default: null,
    flag: 'relay',
    often: true,
    hint: 'url',
    section: 'Outgoing connections',
    help: 'Real mail server for releasing captured mail: smtp://user:password@host:587',
  },
  /** A file with the password of the user in the URL of `relay`. Default: none. */
  relayPasswordFile: {
    kind: 'file',
    takes: 'the path of a file with a password',
    default: null,
    command: true,
    flag: 'relay-password-file',
    hint: 'file',
    section: 'Outgoing connections',
    help: 'File with the password of the user in the URL of --relay',
  },
  /**
   * Sends user and password to the relay without TLS too. Default: false, without TLS they are sent to loopback only.
   */
  relayInsecureAuth: {
    kind: 'switch',
    default: false,
    flag: 'relay-insecure-auth',
    section: 'Outgoing connections',
    help: 'Send user and password to the relay without TLS too',
  },
  /** Also delivers every email sent over the API through `relay`. Default: false. */
  relayAll: {
    kind: 'switch',
    default: false,
    flag: 'relay-all',
    section: 'Outgoing connections',
    help: 'Deliver every email sent over the API through the relay too',
  },
  /**
   * Destinations that attachments, webhooks and the relay may connect to although they are refused by default:
   * `10.0.0.0/8`, `10.1.2.3:8080`, `hooks.internal:9000`. Needed for loopback and private networks if other machines
   * reach the instance, and always for address ranges reserved for tests and documentation. Default: none.
   */
  allowOutgoing: {
    kind: 'destinations',
    default: [],
    flag: 'allow-outgoing',
    hint: 'destination',
    section: 'Outgoing connections',
    help: 'Private destination that attachments, webhooks and the relay may connect to when other machines reach this instance; repeatable',
  },

  /**
   * A collector of OpenTelemetry, to which spans of each mail are posted as OTLP over HTTP: `http://127.0.0.1:4318`.
   * Default: none; the library then gives its spans to the tracer provider that the app registered, if it has one.
   */
  otlpEndpoint: {
    kind: 'secretUrl',
    default: null,
    flag: 'otlp-endpoint',
    hint: 'url',
    section: 'Outgoing connections',
    help: 'Collector of OpenTelemetry to post spans to, as OTLP over HTTP: http://127.0.0.1:4318',
  },
  /**
   * The page of a trace, to which the inbox page links a mail: `http://localhost:16686/trace/{trace_id}`, with
   * `{trace_id}` where the id belongs. Default: none, the id is shown without a link.
   */
  traceUrl: {
    kind: 'urlTemplate',
    default: null,
    flag: 'trace-url',
    hint: 'url',
    section: 'General',
    help: 'Page of a trace, to which mails link: http://localhost:16686/trace/{trace_id}',
  },
  /** Prints only warnings and errors, no banner and no line for each mail and refusal. Default: false. */
  quiet: {
    kind: 'switch',
    default: false,
    command: true,
    flag: 'quiet',
    section: 'General',
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
    hint: 'text|json',
    section: 'General',
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
       * Maximum number of SMTP connections from one address. All of loopback counts as one address, and so does an IPv6 /64 network.
       * Default: nine tenths of `smtpClients`.
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

  /** The checks of mail that run, and the mail clients that count; docs/checks.md lists both. */
  checks: {
    kind: 'group',
    help: 'The checks of mail that run, and the mail clients that count',
    members: {
      /** Ids of checks to leave out: `tracking-pixel`. Default: none. */
      except: {
        kind: 'texts',
        takes: 'an array of ids of checks',
        each: 'the id of a check',
        default: [],
        flag: 'check-except',
        hint: 'id',
        section: 'Checks',
        help: 'Check to leave out; repeatable',
      },
      /** Keys of the mail clients that matter: `gmail/ios`. Default: all. */
      clients: {
        kind: 'texts',
        takes: 'an array of keys of mail clients such as "gmail/ios"',
        each: 'the key of a mail client such as gmail/ios',
        default: [],
        flag: 'check-client',
        hint: 'key',
        section: 'Checks',
        help: 'Mail client that matters, such as gmail/ios; repeatable',
      },
      /** Path of a zone file with the DNS records of your domains, for SPF, DMARC and BIMI. Default: none. */
      zone: {
        kind: 'file',
        takes: 'the path of a zone file',
        default: null,
        flag: 'zone',
        hint: 'file',
        section: 'Checks',
        help: 'Zone file with the DNS records of your domains, to check SPF and DMARC with',
      },
      /** IP addresses of the hosts that will send the mail, for SPF. Default: none. */
      sendingHosts: {
        kind: 'texts',
        takes: 'an array of IP addresses',
        each: 'an IP address',
        default: [],
        flag: 'sending-host',
        hint: 'address',
        section: 'Checks',
        help: 'IP address of a host that will send the mail, to check SPF with; repeatable',
      },
      /** Host and port of SpamAssassin's daemon, which then scores each mail that is checked. Default: none. */
      spamd: {
        kind: 'endpoint',
        default: null,
        flag: 'spamd',
        hint: 'host:port',
        section: 'Checks',
        help: 'SpamAssassin (spamd) that scores checked mail, such as 127.0.0.1:783',
      },
      /**
       * URL of rspamd, which then scores each mail that is checked. A password goes before the host, as in
       * `http://:password@127.0.0.1:11334`. Default: none.
       */
      rspamd: {
        kind: 'secretUrl',
        default: null,
        flag: 'rspamd',
        hint: 'url',
        section: 'Checks',
        help: 'URL of rspamd that scores checked mail, such as http://127.0.0.1:11333',
      },
    },
  },

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
  keepAlive: { kind: 'switch', default: true, help: 'Whether open ports keep the process alive' },
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
  seed: { kind: 'seed', default: null, help: 'Makes random values repeatable, for tests' },
} as const

/** Who may call, and how people sign in. */
export const accessRows = {
  /** API keys. Default: one is created at the first start and stored with the data. */
  apiKeys: {
    kind: 'keys',
    default: [],
    flag: 'api-key',
    often: true,
    hint: 'key',
    help: 'API key; repeatable (default: one is created at the first start)',
  },
  /** A file with API keys, one per line; they are added to `apiKeys`. Default: none. */
  apiKeyFile: {
    kind: 'file',
    takes: 'the path of a file with API keys, one per line',
    default: null,
    command: true,
    flag: 'api-key-file',
    help: 'File with API keys, one per line; keeps them out of the process list',
  },
  /** Accepts any non-empty API key. Default: false. */
  acceptAnyKey: {
    kind: 'switch',
    default: false,
    flag: 'accept-any-key',
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
        help: 'URL of an OpenID provider whose users may sign in to the page; needs --oidc-client-id',
      },
      /** The id that the provider knows this instance by. Default: none. */
      clientId: {
        kind: 'text',
        takes: 'the id of the client at the provider',
        default: null,
        flag: 'oidc-client-id',
        hint: 'id',
        help: 'Id of this instance at the OpenID provider',
      },
      /** The secret that belongs to `clientId`. Default: none, a public client. */
      clientSecret: {
        kind: 'secret',
        default: null,
        flag: 'oidc-client-secret',
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
        help: 'Claim that decides the role of a user, such as roles, groups or realm_access.roles',
      },
      /** Values of `roleClaim` that make an admin. Default: `localpost-admin`. */
      adminValues: {
        kind: 'texts',
        default: ['localpost-admin'],
        flag: 'oidc-admin-value',
        hint: 'value',
        help: 'Value of the role claim that makes an admin; repeatable (default: localpost-admin)',
      },
      /** Values of `roleClaim` that make a member. Default: `localpost-member`. */
      memberValues: {
        kind: 'texts',
        default: ['localpost-member'],
        flag: 'oidc-member-value',
        hint: 'value',
        help: 'Value of the role claim that makes a member; repeatable (default: localpost-member)',
      },
      /** The claim with the names of the accounts that a member may see. Default: none, members see `default`. */
      accountsClaim: {
        kind: 'text',
        takes: 'the name of a claim',
        default: null,
        flag: 'oidc-accounts-claim',
        hint: 'claim',
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
    help: 'File with the secret of this instance at the OpenID provider',
  },
  /** Requires an API key at `/dev` on loopback and in process too, as for requests from elsewhere. Default: false. */
  requireKey: {
    kind: 'switch',
    default: false,
    flag: 'require-key',
    help: 'Require an API key for the page and /dev on this machine too',
  },
  /** Refuses requests to `/v1` and to the APIs of providers over this number per period with 429. Default: no limit. */
  rateLimit: {
    kind: 'rateLimit',
    default: null,
    help: 'Refuse requests to /v1 and the APIs of providers over a number per period with 429',
  },
} as const

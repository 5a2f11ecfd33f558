/** The checks of a mail. */
export const checksRows = {
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
        help: 'Mail client that matters, such as gmail/ios; repeatable',
      },
      /** Path of a zone file with the DNS records of your domains, for SPF, DMARC and BIMI. Default: none. */
      zone: {
        kind: 'file',
        takes: 'the path of a zone file',
        default: null,
        flag: 'zone',
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
        help: 'IP address of a host that will send the mail, to check SPF with; repeatable',
      },
      /** Host and port of SpamAssassin's daemon, which then scores each mail that is checked. Default: none. */
      spamd: {
        kind: 'endpoint',
        default: null,
        flag: 'spamd',
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
        help: 'URL of rspamd that scores checked mail, such as http://127.0.0.1:11333',
      },
    },
  },
} as const
